//! Reports on a terminal: as wide as it is, coloured if it may be, and never with a number broken.

mod finding;
mod numbers;
mod run;
mod screen;
mod study;
mod verdict;

pub use screen::{Screen, grid};
pub use study::study_text;
