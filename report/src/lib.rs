//! Everything that people read: the report of a run or comparison as a table, as Markdown and as
//! HTML, the pictures, the comment on a pull request, the issue of a change and the folder of a
//! sign-off.
//!
//! What is shown comes from records, judgements and the history; this crate decides nothing and
//! measures nothing, and it does not know the forge that its texts are sent to.

mod again;
mod builds;
mod cell;
mod columns;
mod comment;
mod coverage;
mod culprits;
#[cfg(feature = "history")]
mod driver_issue;
mod explain;
mod factors;
mod fill;
mod finding;
mod format;
mod in_tree;
#[cfg(feature = "history")]
mod issue;
mod lead;
mod markdown;
mod marks;
mod method;
mod model;
pub mod plot;
#[cfg(test)]
mod reading;
pub mod signoff;
mod status;
mod study;
mod template;
mod terminal;
mod utc;
mod verdict;
pub mod words;

pub use columns::columns;
pub use comment::{Comment, CommentContext};
pub use culprits::{BriefCause, FlameError, Why, explanation_text, flame_graph, profile_text};
#[cfg(feature = "history")]
pub use driver_issue::driver_issue;
pub use explain::{ExplainError, explain};
pub use finding::{Finding, JudgedRecord};
pub use format::{
    change_with_interval, decimal_percent, number, percent, percent_change, plain, plain_lines,
    signed_percent, start, with_interval, word,
};
pub use in_tree::{IN_TREE, IN_TREE_NOTE, incompatible, title};
#[cfg(feature = "history")]
pub use issue::{IssueText, bisection_text, change_issue, short_revision};
pub use markdown::markdown;
pub use model::Report;
pub use status::Status;
pub use study::study_markdown;
pub use template::PageFormat;
pub use terminal::{Screen, grid, study_text};
pub use utc::{utc, utc_of};
pub use verdict::Verdicts;
