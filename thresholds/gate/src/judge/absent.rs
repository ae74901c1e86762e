//! Verdicts on what has no numbers: head is broken, or one side has no value.

use super::{comparison::Comparison, input::Input};
use crate::rule::{Reason, Verdict};
use shakedown_protocol::{DriverRefusal, TrialOutcome};
use shakedown_summary::{Absence, State, absence, series::Key};

/// A verdict without numbers.
pub(super) struct AbsenceVerdict {
    pub(super) verdict: Verdict,
    pub(super) open: bool,
    pub(super) reason: Reason,
}

impl AbsenceVerdict {
    const fn new(verdict: Verdict, reason: Reason) -> Self {
        Self { verdict, open: false, reason }
    }
}

/// The failed trials of a subject.
struct Failures {
    trials: usize,
    broken: usize,
    lost: usize,
    first: Option<Absence>,
}

impl Failures {
    fn of(input: &Input<'_>, subject: &str, key: &Key) -> Self {
        let meter = shakedown_summary::series::meter(key.metric);
        let trials = input.record.trials.iter().filter(|trial| {
            trial.subject == subject && trial.scenario == key.scenario && trial.meter == meter
        });
        let mut found = Self { trials: 0, broken: 0, lost: 0, first: None };
        for trial in trials {
            found.trials += 1;
            match &trial.outcome {
                TrialOutcome::Measured(_)
                | TrialOutcome::Refused(DriverRefusal::Unsupported(_)) => continue,
                TrialOutcome::Refused(DriverRefusal::Broken(_)) => found.broken += 1,
                TrialOutcome::Refused(DriverRefusal::Failed(_)) | TrialOutcome::Lost { .. } => {
                    found.lost += 1
                }
            }
            if found.first.is_none() {
                found.first = Absence::of_trial(trial);
            }
        }
        found
    }
}

/// Head negotiated something else, or crashes where base does not.
pub(super) fn broken(input: &Input<'_>, key: &Key) -> Option<AbsenceVerdict> {
    let Failures { trials, broken, lost, first } = Failures::of(input, &input.head.name, key);
    let first = first?;
    let base = Failures::of(input, &input.base.name, key);
    // One crash may be the host's (memory ran out); a second one beside a sound base is not.
    let crashes = lost >= 2 && base.lost == 0;
    if broken == 0 && !crashes {
        return None;
    }
    Some(if base.broken > 0 {
        AbsenceVerdict::new(Verdict::Inconclusive, Reason::BothBroken { first })
    } else if broken > 0 {
        AbsenceVerdict::new(Verdict::Broken, Reason::HeadBroken { first })
    } else {
        AbsenceVerdict::new(Verdict::Broken, Reason::HeadFails { failed: lost, trials, first })
    })
}

/// One side or both have no value. `None` where neither library supports the scenario: that is no
/// finding, and the summary reports it.
pub(super) fn absent(input: &Input<'_>, key: &Key, found: &Comparison) -> Option<AbsenceVerdict> {
    let base = absence(input.record, &input.base.name, key);
    let head = absence(input.record, &input.head.name, key);
    let waits = |absence: &Absence| absence.state() == State::Missing && !input.finished();
    let (has_base, has_head) = (found.base_trials > 0, found.head_trials > 0);
    if (!has_base && waits(&base)) || (!has_head && waits(&head)) {
        let (verdict, reason) = (Verdict::Inconclusive, Reason::NotMeasured);
        return Some(AbsenceVerdict { verdict, open: true, reason });
    }
    let unsupported = |absence: &Absence| absence.state() == State::Unsupported;
    Some(match (has_base, has_head) {
        (true, _) if head.state() == State::Lost => {
            AbsenceVerdict::new(Verdict::Broken, Reason::HeadLost { absence: head })
        }
        (true, _) => AbsenceVerdict::new(Verdict::Missing, Reason::HeadMissing { absence: head }),
        (false, true) => AbsenceVerdict::new(Verdict::Pass, Reason::New { absence: base }),
        (false, false) if unsupported(&base) && unsupported(&head) => return None,
        (false, false) => {
            AbsenceVerdict::new(Verdict::Inconclusive, Reason::BothMissing { absence: head })
        }
    })
}
