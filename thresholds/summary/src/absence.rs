//! Why a number is not there.

use crate::{
    State,
    series::{Key, meter},
};
use serde::{Deserialize, Serialize};
use shakedown_protocol::{DriverRefusal, LostReason, RunRecord, Trial, TrialOutcome};

/// Why a subject has no value for a metric of a side of a scenario.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Absence {
    /// The library does not support the scenario.
    Unsupported {
        /// In the driver's words.
        reason: String,
    },
    /// The endpoints negotiated something other than the scenario.
    Broken {
        /// In the driver's words.
        reason: String,
    },
    /// The library or the driver failed.
    Failed {
        /// In the driver's words.
        reason: String,
    },
    /// The driver gave no credible reply.
    Lost {
        /// Why not.
        reason: LostReason,
    },
    /// Trials ran, and none has this metric.
    NotInTrials,
    /// The run ended before its trial.
    NotReached,
    /// The finished run had no trial of it.
    NotPlanned,
}

impl Absence {
    /// The state of a row without values for this reason.
    pub const fn state(&self) -> State {
        match self {
            Self::Unsupported { .. } => State::Unsupported,
            Self::Broken { .. } => State::Broken,
            Self::Failed { .. } | Self::Lost { .. } => State::Lost,
            Self::NotInTrials | Self::NotReached | Self::NotPlanned => State::Missing,
        }
    }

    /// What a trial without a measurement says; `None` for one with a measurement.
    pub fn of_trial(trial: &Trial) -> Option<Self> {
        Some(match &trial.outcome {
            TrialOutcome::Measured(_) => return None,
            TrialOutcome::Refused(DriverRefusal::Unsupported(reason)) => {
                Self::Unsupported { reason: reason.clone() }
            }
            TrialOutcome::Refused(DriverRefusal::Broken(reason)) => {
                Self::Broken { reason: reason.clone() }
            }
            TrialOutcome::Refused(DriverRefusal::Failed(reason)) => {
                Self::Failed { reason: reason.clone() }
            }
            TrialOutcome::Lost { reason, .. } => Self::Lost { reason: reason.clone() },
        })
    }
}

/// Trials without a value beside others with one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedTrials {
    /// Trials without a value.
    pub failed: usize,
    /// All trials.
    pub trials: usize,
    /// Why the first of them has none.
    pub first: Absence,
}

/// The trials of a subject that could have a value for the key.
fn trials<'a>(
    record: &'a RunRecord,
    subject: &'a str,
    key: &'a Key,
) -> impl Iterator<Item = &'a Trial> {
    let meter = meter(key.metric);
    record.trials.iter().filter(move |trial| {
        trial.subject == subject && trial.scenario == key.scenario && trial.meter == meter
    })
}

/// Why a subject has no value for the key, if it has none.
pub fn absence(record: &RunRecord, subject: &str, key: &Key) -> Absence {
    let listed = record.unsupported.iter().find(|u| {
        let meter_fits = u.meter.is_none_or(|of| of == meter(key.metric));
        u.subject == subject && u.scenario == key.scenario && meter_fits
    });
    if let Some(entry) = listed {
        return Absence::Unsupported { reason: entry.reason.clone() };
    }
    // The worst that was seen: a broken negotiation explains more than a crash.
    let failures = trials(record, subject, key).filter_map(Absence::of_trial);
    let worst = failures.min_by_key(|failure| match failure {
        Absence::Broken { .. } => 0,
        Absence::Failed { .. } | Absence::Lost { .. } => 1,
        _ => 2,
    });
    let ran = trials(record, subject, key).next().is_some();
    worst.unwrap_or(match (ran, &record.finish) {
        (true, _) => Absence::NotInTrials,
        (false, None) => Absence::NotReached,
        (false, Some(_)) => Absence::NotPlanned,
    })
}

/// The failed trials beside `measured` values of the key; `None` where all trials have a value, or
/// none has.
pub fn failed_trials(
    record: &RunRecord,
    subject: &str,
    key: &Key,
    measured: usize,
) -> Option<FailedTrials> {
    if measured == 0 {
        return None;
    }
    let mut failures = trials(record, subject, key).filter_map(Absence::of_trial);
    let first = failures.next()?;
    let failed = 1 + failures.count();
    Some(FailedTrials { failed, trials: failed + measured, first })
}
