//! What a machine is and how it is set, as far as it moves measurements.
//!
//! Everything is read through a [`HostRoot`], so that captured trees of `/sys` and `/proc`
//! stand in for machines that the tests don't run on. Observing needs no privilege, writes
//! nothing and does not block.

pub mod admission;
mod cpu;
mod epoch;
mod knobs;
mod observe;
mod root;
mod system;

pub use epoch::changes;
pub use observe::observe;
pub use root::{HostError, HostRoot};
