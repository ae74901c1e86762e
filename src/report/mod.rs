//! What people read of a run: one model, shown as a table, as Markdown and as HTML.

mod fill;
mod fit;
mod format;
mod model;
mod table;
mod template;
mod verdict;

pub use fit::grid;
pub use format::{number, plain, plain_lines, word};
pub use model::Report;
pub use table::table;
pub use template::{Format, markdown};
pub use verdict::{Judged, Verdicts};
