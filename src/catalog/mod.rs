//! What `shakedown catalog` does: list, split over hosts, look for releases.

pub mod list;
pub mod share;
pub mod update;
