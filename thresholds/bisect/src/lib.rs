//! Which commits of a history changed a number, with few of them measured.
//!
//! [`next_step`] is a pure function: from the commits between a good and a bad one and from what was
//! measured so far to the commit to measure next, or to what was found. Whoever asks can be killed
//! between any two questions, and gets the same questions again.
//!
//! The number of a commit is that of the good one plus the sum of what the commits in between have
//! changed, as far as they are its ancestors. So a merge of two branches that both changed the number
//! changed nothing itself, a revert is a change like any other, and every change that the measured
//! numbers show is found, one after the other, with the commits of the earlier ones measured already.
//!
//! This crate must not know what a commit is built from, how it is measured, or how much is noise.

mod graph;
mod observation;
mod search;

pub use graph::{CommitGraph, CommitGraphError, CommitNode};
pub use observation::{Observations, RevisionObservation};
pub use search::{
    BisectFindings, BisectStep, LocatedChange, QuietStretch, SearchRule, next_step, steps_left,
};
