//! The check of a release candidate: what stands against it.

mod checks;
mod past;

pub use checks::{against, exit};
pub use past::past;

#[cfg(test)]
mod tests;
