//! The interim analyses of a running comparison: what is still open?

use super::{JudgeError, judge};
use crate::policy::Policy;
use shakedown_protocol::{Meter, RunRecord, Scenario};
use std::collections::BTreeSet;

/// Judges a record as it grows. Depends on the record and the policy alone, so that a comparison
/// that was killed and resumed takes the course that it would have taken.
#[derive(Debug)]
pub struct InterimAnalysis<'a> {
    policy: &'a Policy,
    error: Option<JudgeError>,
}

impl<'a> InterimAnalysis<'a> {
    /// By this policy.
    pub const fn new(policy: &'a Policy) -> Self {
        Self { policy, error: None }
    }

    /// The scenarios, each with an instrument, that further trials could decide. Nothing, once
    /// the record can't be judged: see [`InterimAnalysis::error`].
    pub fn open(&mut self, record: &RunRecord) -> BTreeSet<(Scenario, Meter)> {
        match judge(record, self.policy) {
            Ok(judgement) => judgement.open(),
            Err(error) => {
                self.error = Some(error);
                BTreeSet::new()
            }
        }
    }

    /// Why the comparison was ended, if it was not for its verdicts.
    pub const fn error(&self) -> Option<&JudgeError> {
        self.error.as_ref()
    }
}
