//! What a reader of a number, or of a run, must know.

use super::absence::{absence, failed_trials};
use crate::format::decimal_percent;
use shakedown_summary::{RunWarning, State, Warning};

/// What a reader of a number must know.
pub fn warning(warning: &Warning) -> String {
    match warning {
        Warning::SingleTrial => "1 trial: no interval".to_owned(),
        Warning::LowCoverage { n, coverage } => format!(
            "{n} trials: the interval is their range, which covers the median with {} probability",
            decimal_percent(*coverage, 1)
        ),
        Warning::Disturbed { disturbed, trials, flaws } => {
            let kinds: Vec<String> =
                flaws.iter().map(|(flaw, count)| format!("{flaw} {count}")).collect();
            let kinds = kinds.join(", ");
            format!("the host disturbed {disturbed} of {trials} trials, which are kept: {kinds}")
        }
        Warning::Noisy { half_width } => {
            format!("noisy: the interval is ±{} of the median", decimal_percent(*half_width, 0))
        }
        Warning::FailedTrials(trials) => failed_trials(trials),
        Warning::NoValue { subject, absence: why } => match why.state() {
            State::Missing => format!("{subject}: no value"),
            _ => format!("{subject}: {}", absence(why)),
        },
        Warning::UnpairedBlocks { blocks } => {
            format!("{blocks} blocks lack a value of one subject and are left out of the factor")
        }
        Warning::ZeroValues { blocks } => {
            format!("{blocks} blocks have no ratio: one of the values is zero")
        }
        Warning::NoMemory => "no memory was measured".to_owned(),
        Warning::NoSlope => "a slope needs two numbers of sessions in one block".to_owned(),
        Warning::SingleSessionCount { blocks } => {
            format!("{blocks} blocks lack a second number of sessions")
        }
    }
}

/// What is wrong with a run as a whole.
pub fn run_warning(warning: &RunWarning) -> String {
    match warning {
        RunWarning::HostNotTuned { host, knobs } => {
            let which =
                if knobs.is_empty() { String::new() } else { format!(": {}", knobs.join(", ")) };
            format!(
                "host {host} is not tuned for benchmarks{which}; treat these numbers as a rough indication"
            )
        }
        RunWarning::VirtualMachine { virtualization } => {
            format!("virtual machine ({virtualization}): other guests of the host affect the times")
        }
        RunWarning::Unfinished => "the run did not finish".to_owned(),
        RunWarning::MissingTrials { recorded, planned } => {
            format!("{recorded} of {planned} planned trials are in the record")
        }
    }
}
