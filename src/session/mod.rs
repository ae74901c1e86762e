//! What every command goes through that builds and measures.

mod at_once;
mod budget;
mod build_results;
#[cfg(feature = "history")]
pub mod calibrate;
pub mod comparison;
mod fallback;
mod interruption;
mod more_links;
mod parts;
pub mod run;
mod subject_builder;

pub use interruption::resume_line;
pub use parts::write_reports;
pub use subject_builder::SubjectBuilder;
