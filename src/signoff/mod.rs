//! The check of a release candidate: what stands against it, and the folder with everything
//! that this rests on.

mod checks;
mod folder;
mod past;

pub use checks::{Against, Kind, against};
pub use folder::{Evidence, policies, write};
pub use past::Past;

#[cfg(test)]
mod tests;
