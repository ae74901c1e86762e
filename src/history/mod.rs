//! The history, as several commands use it.

#[cfg(feature = "history")]
mod learned;
pub mod noise;
#[cfg(feature = "history")]
mod place;
#[cfg(feature = "history")]
mod suspects;

#[cfg(feature = "history")]
pub use {
    place::{Pick, Place},
    suspects::{describe, find_suspect, listed},
};
