//! Warnings in words.

use crate::{
    series::{Key, Point},
    stats::{CONFIDENCE, Interval},
};
use shakedown_protocol::{Flaw, KnobState, RunRecord};

/// Half the interval may be this part of the median before a timed row is called noisy.
const NOISY: f64 = 0.05;

/// What a reader must know about a measured row.
pub(super) fn row_warnings(key: &Key, points: &[Point], interval: &Interval) -> Vec<String> {
    let mut warnings: Vec<String> = coverage(points.len(), interval).into_iter().collect();
    warnings.extend(flaws(points));
    let spread = (interval.high - interval.low) / 2.0 / interval.median;
    if !key.metric.is_count() && points.len() > 1 && spread > NOISY {
        warnings.push(format!("noisy: the interval is ±{:.0} % of the median", spread * 100.0));
    }
    warnings
}

/// Too few values for the usual coverage.
pub(super) fn coverage(n: usize, interval: &Interval) -> Option<String> {
    match n {
        0 => None,
        1 => Some("1 trial: no interval".to_owned()),
        _ if interval.coverage < CONFIDENCE => Some(format!(
            "{n} trials: the interval is their range and covers the median with {:.1} %",
            interval.coverage * 100.0
        )),
        _ => None,
    }
}

/// How many trials the host disturbed, and how.
fn flaws(points: &[Point]) -> Option<String> {
    let flawed = points.iter().filter(|point| !point.flaws.is_empty()).count();
    if flawed == 0 {
        return None;
    }
    let kinds: Vec<String> = Flaw::ALL
        .iter()
        .filter_map(|flaw| match points.iter().filter(|p| p.flaws.contains(flaw)).count() {
            0 => None,
            count => Some(format!("{flaw} {count}")),
        })
        .collect();
    let n = points.len();
    Some(format!("{flawed} of {n} trials disturbed by the host and kept: {}", kinds.join(", ")))
}

/// What is wrong with the run as a whole.
pub(super) fn run_warnings(record: &RunRecord) -> Vec<String> {
    let mut warnings = Vec::new();
    let host = &record.host;
    if !host.fit {
        let knobs: Vec<&str> = host
            .knobs
            .iter()
            .filter(|knob| knob.state == KnobState::Differs)
            .map(|knob| knob.name.as_str())
            .collect();
        let which =
            if knobs.is_empty() { String::new() } else { format!(": {}", knobs.join(", ")) };
        warnings.push(format!(
            "host {} is not tuned for benchmarks{which}; good for a look, not for conclusions",
            host.name
        ));
    }
    if host.virtualization != "none" && !host.virtualization.is_empty() {
        warnings
            .push(format!("virtual machine ({}): times move with neighbours", host.virtualization));
    }
    match &record.finish {
        None => warnings.push("the run was not finished".to_owned()),
        Some(finish) if (record.trials.len() as u64) < finish.planned => warnings.push(format!(
            "{} of {} planned trials are in the record",
            record.trials.len(),
            finish.planned
        )),
        Some(_) => {}
    }
    warnings
}
