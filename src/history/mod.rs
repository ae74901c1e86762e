//! The history: what several commands do with it, and what they print.

#[cfg(feature = "history")]
mod args;
#[cfg(feature = "history")]
mod bisection;
#[cfg(feature = "history")]
pub mod changes;
#[cfg(feature = "history")]
mod learned;
pub mod noise;
#[cfg(feature = "history")]
mod records;
#[cfg(feature = "history")]
mod reports;
#[cfg(feature = "history")]
mod suspects;
#[cfg(feature = "history")]
pub mod tables;

#[cfg(feature = "history")]
pub use {
    args::{HistoryArgs, SeriesArgs, TrendSelection},
    bisection::BisectArguments,
    records::{AddedRecord, add_path, add_record},
    reports::write_reports,
    suspects::{describe, find_suspect, listed},
};
