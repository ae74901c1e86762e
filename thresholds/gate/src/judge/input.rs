//! What is judged, checked first: records come from pull requests.

use crate::{
    policy::{Action, Policy},
    rule::NoiseModel,
};
use shakedown_protocol::{Meter, RecordError, RunRecord, SubjectEntry, TrialOutcome};
use shakedown_summary::series::{Key, Series, possible, series};
use std::collections::BTreeSet;

/// Why a record can't be judged.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The record contradicts itself.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Not a comparison.
    #[error(
        "a comparison has two subjects, base and head; this record has {}: {}", found.len(), found.join(", ")
    )]
    Subjects {
        /// Names of the record's subjects.
        found: Vec<String>,
    },
    /// A side that was never measured.
    #[error(
        "the finished record has no measured trial of {role} `{name}`{reason}. There is nothing to compare"
    )]
    OneSided {
        /// `base` or `head`.
        role: &'static str,
        /// Name of the subject.
        name: String,
        /// What its trials say.
        reason: String,
    },
    /// A plain run: a subject measured once a block has no pairs.
    #[error(
        "this record is of `shakedown run`, which measures each subject once a block: it has no pairs to judge. \
         Measure them with `shakedown compare BASE HEAD`"
    )]
    NotPaired,
    /// Nothing at all.
    #[error("the finished record has no trials: there is nothing to judge")]
    Empty,
    /// The noise is that of another host or of the host in another state.
    #[error(
        "the record has two epochs: it was measured in {record} and its noise in {calibration}. Results are compared inside one epoch only; calibrate the host as it is now"
    )]
    Epochs {
        /// Epoch of the measurements.
        record: String,
        /// Epoch of the calibration.
        calibration: String,
    },
    /// A value that has no logarithm.
    #[error("trial {trial} of `{subject}`: {metric} of {side} is {value}, which nothing can take")]
    Value {
        /// Index of the trial.
        trial: usize,
        /// Name of the subject.
        subject: String,
        /// Metric.
        metric: shakedown_protocol::Metric,
        /// Side.
        side: shakedown_protocol::Side,
        /// The value.
        value: f64,
    },
}

/// A record that can be judged, with everything looked up.
pub(crate) struct Input<'a> {
    pub(crate) record: &'a RunRecord,
    pub(crate) policy: &'a Policy,
    pub(crate) base: &'a SubjectEntry,
    pub(crate) head: &'a SubjectEntry,
    pub(crate) series: Series<'a>,
    pub(crate) noise: NoiseModel,
    /// Timed tests that are judged jointly.
    pub(crate) tests: usize,
}

impl<'a> Input<'a> {
    pub(crate) fn new(record: &'a RunRecord, policy: &'a Policy) -> Result<Self, JudgeError> {
        record.validate()?;
        let [base, head] = record.subjects.as_slice() else {
            let found = record.subjects.iter().map(|entry| entry.name.clone()).collect();
            return Err(JudgeError::Subjects { found });
        };
        let calibration = record.calibration.as_ref();
        if let Some(calibration) = calibration
            && calibration.epoch != record.host.epoch.id
        {
            return Err(JudgeError::Epochs {
                record: record.host.epoch.id.clone(),
                calibration: calibration.epoch.clone(),
            });
        }
        values(record)?;
        if record.finish.is_some() {
            both_sides(record, base, head)?;
            let timed = record.trials.iter().any(|trial| trial.meter == Meter::Time);
            // Counts of older records need no pairs.
            if !record.plan.paired.unwrap_or_else(|| !timed || record.is_paired()) {
                return Err(JudgeError::NotPaired);
            }
        }
        let noise = NoiseModel::new(calibration);
        let series = series(record);
        let mut input = Self { record, policy, base, head, series, noise, tests: 0 };
        input.tests = input.timed_tests().max(1);
        Ok(input)
    }

    /// Timed tests that could fail. Counted from the plan, so that the count does not change
    /// while the record grows.
    fn timed_tests(&self) -> usize {
        let stack = &self.head.asked.stack;
        let plan = &self.record.plan;
        let mut tests = 0;
        for scenario in plan.scenarios.iter().collect::<BTreeSet<_>>() {
            for &side in scenario.sides() {
                let timed = possible(scenario).into_iter().filter(|metric| !metric.is_count());
                tests += timed
                    .filter(|&metric| {
                        self.policy.settings(scenario, side, metric, stack).action > Action::Report
                    })
                    .count();
            }
        }
        if plan.meters.contains(&Meter::Time) { tests } else { 0 }
    }

    /// Every key that has values or should have, in the plan's order.
    pub(crate) fn keys(&self) -> BTreeSet<Key> {
        shakedown_summary::keys(self.record, &self.series)
    }

    /// Whether no further trial will come.
    pub(crate) const fn finished(&self) -> bool {
        self.record.finish.is_some()
    }
}

/// Timed values must be above zero: their ratios are what is judged.
fn values(record: &RunRecord) -> Result<(), JudgeError> {
    for (index, trial) in record.trials.iter().enumerate() {
        for (side, metric, value) in trial.values() {
            let sound = value.is_finite() && (value > 0.0 || (metric.is_count() && value >= 0.0));
            if !sound && trial.meter == shakedown_summary::series::meter(metric) {
                return Err(JudgeError::Value {
                    trial: index,
                    subject: trial.subject.clone(),
                    metric,
                    side,
                    value,
                });
            }
        }
    }
    Ok(())
}

fn both_sides(
    record: &RunRecord,
    base: &SubjectEntry,
    head: &SubjectEntry,
) -> Result<(), JudgeError> {
    if record.trials.is_empty() {
        return Err(JudgeError::Empty);
    }
    for (role, entry) in [("base", base), ("head", head)] {
        let mut trials = record.trials.iter().filter(|trial| trial.subject == entry.name);
        if !trials.clone().any(|trial| trial.measured().is_some()) {
            let reason = match trials.next().map(|trial| &trial.outcome) {
                None => ": it has no trials".to_owned(),
                Some(TrialOutcome::Lost { reason, .. }) => format!(": {reason}"),
                Some(TrialOutcome::Refused(refusal)) => format!(": {refusal:?}"),
                Some(TrialOutcome::Measured(_)) => String::new(),
            };
            return Err(JudgeError::OneSided { role, name: entry.name.clone(), reason });
        }
    }
    Ok(())
}
