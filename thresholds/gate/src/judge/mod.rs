//! From a record and a policy to verdicts: base against head, for every scenario, side and
//! metric, then for the whole.
//!
//! The same function serves the scheduler while a comparison runs (what is still open?) and
//! whoever judges the saved record later: there is one way to a verdict.

mod absent;
mod accepted;
mod compare;
mod comparison;
mod consequence;
mod input;
mod interim;
mod judgement;
mod whole;

pub use comparison::{Comparison, ComparisonWarning, Detail, Disturbance};
pub use consequence::Consequence;
pub use input::JudgeError;
pub use interim::InterimAnalysis;
pub use judgement::{Judgement, JudgementWarning, VerdictCounts};

use crate::policy::Policy;
use shakedown_protocol::RunRecord;

/// Judges a record with two subjects: the first is base, the second head. The record may be
/// unfinished; comparisons that further trials could decide are then `open`.
///
/// # Errors
/// When the record can't be judged as a whole; see [`JudgeError`].
pub fn judge(record: &RunRecord, policy: &Policy) -> Result<Judgement, JudgeError> {
    let input = input::Input::new(record, policy)?;
    let comparisons = compare::all(&input);
    Ok(whole::judgement(&input, comparisons))
}

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;
