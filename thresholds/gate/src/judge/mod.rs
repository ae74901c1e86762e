//! From a record and a policy to verdicts: base against head, for every scenario, side and
//! metric, then for the whole.
//!
//! The same function serves the scheduler while a comparison runs (what is still open?) and
//! whoever judges the saved record later: there is one way to a verdict.

mod compare;
mod consequence;
mod input;
mod pairs;
mod sequential;
mod whole;

pub use compare::{Comparison, Detail};
pub use consequence::Consequence;
pub use input::JudgeError;
pub use pairs::{Pair, Unit, Units, units};
pub use sequential::Sequential;
pub use whole::{Judgement, Tally, differences};

use crate::policy::Policy;
use shakedown_protocol::{Calibration, RunRecord};

/// Judges a record with two subjects: the first is base, the second head. The record may be
/// unfinished; comparisons that further trials could decide are then `open`.
///
/// # Errors
/// When the record can't be judged as a whole; see [`JudgeError`].
pub fn judge(record: &RunRecord, policy: &Policy) -> Result<Judgement, JudgeError> {
    judge_with(record, policy, None)
}

/// Like [`judge`], with the noise to use for a record that carries none yet.
///
/// # Errors
/// As [`judge`].
pub fn judge_with(
    record: &RunRecord,
    policy: &Policy,
    calibration: Option<&Calibration>,
) -> Result<Judgement, JudgeError> {
    let input = input::Input::new(record, policy, calibration)?;
    let comparisons = compare::all(&input);
    Ok(whole::judgement(&input, comparisons))
}

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;
