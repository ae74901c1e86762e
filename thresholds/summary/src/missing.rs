//! Why a number is not there.

use crate::State;
use crate::series::{Key, meter};
use shakedown_protocol::{DriverRefusal, RunRecord, Trial, TrialOutcome};

/// The trials of a subject that could tell something about the key.
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

/// State and reason of a row without numbers.
pub fn why(record: &RunRecord, subject: &str, key: &Key) -> (State, String) {
    let listed = record.unsupported.iter().find(|u| {
        let meter_fits = u.meter.is_none_or(|of| of == meter(key.metric));
        u.subject == subject && u.scenario == key.scenario && meter_fits
    });
    if let Some(entry) = listed {
        return (State::Unsupported, format!("unsupported: {}", entry.reason));
    }
    let failures: Vec<(State, String)> = trials(record, subject, key).filter_map(failure).collect();
    // The worst that was seen: a broken negotiation explains more than a crash.
    let worst = failures.iter().min_by_key(|(state, _)| match state {
        State::Broken => 0,
        State::Lost => 1,
        _ => 2,
    });
    if let Some(found) = worst {
        return found.clone();
    }
    let ran = trials(record, subject, key).next().is_some();
    let reason = match (ran, &record.finish) {
        (true, _) => "no trial yielded this metric",
        (false, None) => "not measured: the run was not finished; finish it with --resume",
        (false, Some(_)) => "not measured: the plan had no trial of it",
    };
    (State::Missing, reason.to_owned())
}

/// What a trial without a measurement says.
fn failure(trial: &Trial) -> Option<(State, String)> {
    match &trial.outcome {
        TrialOutcome::Measured(_) => None,
        TrialOutcome::Refused(DriverRefusal::Unsupported(reason)) => {
            Some((State::Unsupported, format!("unsupported: {reason}")))
        }
        TrialOutcome::Refused(DriverRefusal::Broken(reason)) => {
            Some((State::Broken, format!("broken: {reason}")))
        }
        TrialOutcome::Refused(DriverRefusal::Failed(reason)) => {
            Some((State::Lost, format!("failed: {reason}")))
        }
        TrialOutcome::Lost { reason, .. } => Some((State::Lost, format!("lost: {reason}"))),
    }
}

/// Trials that yielded nothing beside others that did: counted, never forgotten.
pub fn losses(record: &RunRecord, subject: &str, key: &Key, measured: usize) -> Option<String> {
    if measured == 0 {
        return None;
    }
    let failures: Vec<String> = trials(record, subject, key)
        .filter_map(|trial| failure(trial).map(|(_, reason)| reason))
        .collect();
    let first = failures.first()?;
    let all = failures.len() + measured;
    Some(format!("{} of {all} trials without a value, first: {first}", failures.len()))
}
