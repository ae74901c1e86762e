//! What measured numbers mean: comparisons, policies, verdicts.
//!
//! Pure functions over [`shakedown_protocol::RunRecord`]: nothing here reads a file, a clock or a
//! source of randomness, so that the same record and policy give the same answer, bit for
//! bit, on any machine. This crate must not know how a record was measured, stored or shown.

mod calibrate;
mod explain;
pub mod judge;
mod noise;
pub mod policy;
pub mod rule;

pub use calibrate::{CalibrateError, calibrate, is_unchanged};
pub use explain::{ExplainError, explain};
pub use judge::{
    Comparison, Consequence, Detail, JudgeError, Judgement, Sequential, Tally, differences, judge,
    judge_with,
};
pub use noise::{FamilyNoise, noise};
pub use policy::{Policy, PolicyError};
pub use rule::Verdict;
