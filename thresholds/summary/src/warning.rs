//! What a reader of a number, or of a run, must know.

use crate::{
    Absence, FailedTrials,
    series::{Key, Observation},
    stats::{CONFIDENCE, Interval},
};
use serde::Serialize;
use shakedown_protocol::{Flaw, KnobState, RunRecord};
use std::collections::BTreeMap;

/// Half the interval may be this part of the median before a timed row is called noisy.
const NOISY: f64 = 0.05;

/// What a reader of one number must know.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Warning {
    /// One trial has no interval.
    SingleTrial,
    /// Too few trials for the usual coverage; the interval is their range.
    LowCoverage {
        /// Trials.
        n: usize,
        /// Probability that the interval covers the true median.
        coverage: f64,
    },
    /// The host disturbed trials; they are kept.
    Disturbed {
        /// Disturbed trials.
        disturbed: usize,
        /// All trials.
        trials: usize,
        /// Trials with each flaw.
        flaws: BTreeMap<Flaw, usize>,
    },
    /// A wide interval.
    Noisy {
        /// Half the interval over the median.
        half_width: f64,
    },
    /// Trials without a value beside those with one.
    FailedTrials(FailedTrials),
    /// A subject of a factor has no value.
    NoValue {
        /// Name of the subject.
        subject: String,
        /// Why not.
        absence: Absence,
    },
    /// Blocks in which only one of two subjects has a value.
    UnpairedBlocks {
        /// How many.
        blocks: usize,
    },
    /// Blocks in which one of two values is zero, so that they have no ratio.
    ZeroValues {
        /// How many.
        blocks: usize,
    },
    /// No memory was measured.
    NoMemory,
    /// No block has two numbers of sessions, which a slope needs.
    NoSlope,
    /// Blocks without a second number of sessions.
    SingleSessionCount {
        /// How many.
        blocks: usize,
    },
}

/// What is wrong with a run as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum RunWarning {
    /// The host is not tuned for benchmarks.
    HostNotTuned {
        /// Name of the host.
        host: String,
        /// Settings that differ from those of a quiet host.
        knobs: Vec<String>,
    },
    /// The host is a virtual machine.
    VirtualMachine {
        /// The kind that was detected.
        virtualization: String,
    },
    /// The run did not finish.
    Unfinished,
    /// The finished record has fewer trials than were planned.
    MissingTrials {
        /// Trials in the record.
        recorded: u64,
        /// Planned trials.
        planned: u64,
    },
}

/// The warnings of a row with values.
pub(super) fn of_row(key: &Key, points: &[Observation], interval: &Interval) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = coverage(points.len(), interval).into_iter().collect();
    warnings.extend(flaws(points));
    let half_width = (interval.high - interval.low) / 2.0 / interval.median;
    if !key.metric.is_count() && points.len() > 1 && half_width > NOISY {
        warnings.push(Warning::Noisy { half_width });
    }
    warnings
}

/// Too few values for the usual coverage.
pub(super) fn coverage(n: usize, interval: &Interval) -> Option<Warning> {
    match n {
        0 => None,
        1 => Some(Warning::SingleTrial),
        _ if interval.coverage < CONFIDENCE => {
            Some(Warning::LowCoverage { n, coverage: interval.coverage })
        }
        _ => None,
    }
}

/// How many trials the host disturbed, and how.
fn flaws(points: &[Observation]) -> Option<Warning> {
    let disturbed = points.iter().filter(|point| !point.flaws.is_empty()).count();
    let count = |flaw: Flaw| points.iter().filter(|point| point.flaws.contains(&flaw)).count();
    let flaws = Flaw::ALL.iter().map(|&flaw| (flaw, count(flaw))).filter(|(_, n)| *n > 0).collect();
    (disturbed > 0).then_some(Warning::Disturbed { disturbed, trials: points.len(), flaws })
}

/// The warnings of a run.
pub(super) fn of_run(record: &RunRecord) -> Vec<RunWarning> {
    let mut warnings = Vec::new();
    let host = &record.host;
    if !host.fit {
        let differing = host.knobs.iter().filter(|knob| knob.state == KnobState::Differs);
        let knobs = differing.map(|knob| knob.name.clone()).collect();
        warnings.push(RunWarning::HostNotTuned { host: host.name.clone(), knobs });
    }
    if host.virtualization != "none" && !host.virtualization.is_empty() {
        let virtualization = host.virtualization.clone();
        warnings.push(RunWarning::VirtualMachine { virtualization });
    }
    let recorded = record.trials.len() as u64;
    match &record.finish {
        None => warnings.push(RunWarning::Unfinished),
        Some(finish) if recorded < finish.planned => {
            warnings.push(RunWarning::MissingTrials { recorded, planned: finish.planned });
        }
        Some(_) => {}
    }
    warnings
}
