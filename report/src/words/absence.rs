//! Why a number is not there.

use shakedown_summary::{Absence, FailedTrials};

/// Why a number is not there.
pub fn absence(absence: &Absence) -> String {
    match absence {
        Absence::Unsupported { reason } => format!("unsupported: {reason}"),
        Absence::Broken { reason } => format!("broken: {reason}"),
        Absence::Failed { reason } => format!("failed: {reason}"),
        Absence::Lost { reason } => format!("lost: {reason}"),
        Absence::NotInTrials => "no trial yielded this metric".to_owned(),
        Absence::NotReached => {
            "not measured: the run did not finish; finish it with --resume".to_owned()
        }
        Absence::NotPlanned => "not measured: the plan had no trial of it".to_owned(),
    }
}

/// What the failed trial itself says, where its context names the kind of failure.
pub(super) fn cause(absence: &Absence) -> String {
    match absence {
        Absence::Unsupported { reason }
        | Absence::Broken { reason }
        | Absence::Failed { reason } => reason.clone(),
        Absence::Lost { reason } => reason.to_string(),
        other => self::absence(other),
    }
}

pub(super) fn failed_trials(trials: &FailedTrials) -> String {
    let FailedTrials { failed, trials, first } = trials;
    format!("{failed} of {trials} trials without a value, first: {}", absence(first))
}
