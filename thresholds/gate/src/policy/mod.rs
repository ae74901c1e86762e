//! Policies: which change of which metric matters, and what follows from it.
//!
//! A policy is a TOML text with complete `[defaults]` and any number of `[[override]]`s that
//! select by glob over scenario, side, metric and stack; of several that match, the later one
//! wins, setting by setting. Accepted regressions are in a file of their own.

mod accepted;
mod check;
mod globs;
mod model;
mod parse;
mod parse_accepted;
mod select;
mod settings;
mod share;
mod source;

pub use accepted::{Accepted, AcceptedKind};
pub use check::KnownNames;
pub use model::Policy;
pub use select::Select;
pub use settings::{Action, Budget, Direction, InconclusiveAction, Settings};
pub use share::Share;
pub use source::PolicyError;

#[cfg(test)]
mod tests;
