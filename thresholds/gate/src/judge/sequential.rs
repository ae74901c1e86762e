//! The judge that a running comparison asks: what is still open?

use super::{JudgeError, Judgement, judge_with};
use crate::policy::Policy;
use shakedown_protocol::{Calibration, Meter, RunRecord, Scenario};
use std::collections::BTreeSet;

/// Judges a record as it grows. Depends on the record, the policy and the calibration alone,
/// so that a comparison that was killed goes on as it would have gone on.
#[derive(Debug)]
pub struct Sequential<'a> {
    policy: &'a Policy,
    calibration: Option<&'a Calibration>,
    error: Option<JudgeError>,
}

impl<'a> Sequential<'a> {
    /// `calibration` serves records that carry none yet; it must be stored in the record
    /// before that is judged again.
    pub const fn new(policy: &'a Policy, calibration: Option<&'a Calibration>) -> Self {
        Self { policy, calibration, error: None }
    }

    /// The scenarios, each with an instrument, that further trials could decide. Nothing, once
    /// the record can't be judged: see [`Sequential::error`].
    pub fn open(&mut self, record: &RunRecord) -> BTreeSet<(Scenario, Meter)> {
        match self.judge(record) {
            Ok(judgement) => judgement.open(),
            Err(error) => {
                self.error = Some(error);
                BTreeSet::new()
            }
        }
    }

    /// Every comparison so far.
    ///
    /// # Errors
    /// When the record can't be judged.
    pub fn judge(&self, record: &RunRecord) -> Result<Judgement, JudgeError> {
        judge_with(record, self.policy, self.calibration)
    }

    /// Why the comparison was ended, if it was not for its verdicts.
    pub const fn error(&self) -> Option<&JudgeError> {
        self.error.as_ref()
    }
}
