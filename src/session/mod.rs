//! What every command goes through that builds and measures.

mod at_once;
mod bench;
#[cfg(feature = "history")]
pub mod calibrate;
pub mod comparison;
mod fallback;
mod parts;
pub mod run;

pub use bench::Bench;
pub use parts::write_reports;
