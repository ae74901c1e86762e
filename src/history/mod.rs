//! The history, as several commands use it.

#[cfg(feature = "history")]
mod args;
#[cfg(feature = "history")]
mod learned;
pub mod noise;
#[cfg(feature = "history")]
mod suspects;

#[cfg(feature = "history")]
pub use {
    args::{HistoryArgs, SeriesArgs},
    suspects::{describe, find_suspect, listed},
};
