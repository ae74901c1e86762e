//! What measured numbers mean: comparisons, policies, verdicts.
//!
//! Pure functions over [`shakedown_protocol::RunRecord`]: nothing here reads a file, a clock or a
//! source of randomness, so that the same record and policy give the same answer, bit for
//! bit, on any machine. Reasons and warnings are data; the report crate puts them into words.
//! This crate must not know how a record was measured, stored or shown.

mod blocks;
mod calibrate;
pub mod judge;
mod noise;
pub mod policy;
pub mod rule;
mod unchanged;

pub use blocks::{Block, Blocks, Pair, blocks};
pub use calibrate::{CalibrateError, PairSpread, calibrate};
pub use judge::{
    Comparison, ComparisonWarning, Consequence, Detail, InterimAnalysis, JudgeError, Judgement,
    JudgementWarning, VerdictCounts, judge,
};
pub use noise::{FamilyNoise, noise};
pub use policy::{Policy, PolicyError};
pub use rule::{Reason, Verdict};
pub use unchanged::{Difference, Provenance, differences, is_unchanged};
