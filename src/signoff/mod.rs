//! The check of a release candidate.

mod check;
mod checks;
mod past;

pub use check::{SignoffOptions, signoff, text};
use checks::against;
pub use checks::exit;
use past::past;

#[cfg(test)]
mod tests;
