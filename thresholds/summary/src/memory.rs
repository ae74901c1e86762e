//! What one more session costs: the slope of memory over the number of sessions.

use crate::{
    Warning,
    stats::{Interval, median_interval, slope},
    warning,
};
use serde::Serialize;
use shakedown_protocol::{RunRecord, Scenario, ScenarioKind};
use std::collections::BTreeMap;

/// Memory of a subject over the scenarios of one family that differ in the number of
/// sessions only. A slope leaves out what the process needs anyway, which the value of a
/// single trial (growth divided by sessions) does not.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemorySlope {
    /// Name of the subject's entry in the record.
    pub subject: String,
    /// Scenario id without its number of sessions.
    pub family: String,
    /// Numbers of sessions that have values.
    pub sessions: Vec<u32>,
    /// Blocks that have at least two of them; each yields one slope.
    pub n: usize,
    /// Median of the blocks' least squares slopes, in bytes a session; `None` where no block
    /// has two numbers of sessions.
    pub bytes_per_session: Option<f64>,
    /// Lower end of the interval of the median.
    pub low: Option<f64>,
    /// Upper end of the interval of the median.
    pub high: Option<f64>,
    /// Probability that the interval covers the true median.
    pub coverage: Option<f64>,
    /// Median of the blocks' intercepts: what the process needs without sessions, in bytes.
    pub base_bytes: Option<f64>,
    /// What a reader must know.
    pub warnings: Vec<Warning>,
}

/// Peak bytes over sessions.
type Points = Vec<(f64, f64)>;

/// One slope a subject and family.
pub(super) fn slopes(record: &RunRecord) -> Vec<MemorySlope> {
    let mut found = Vec::new();
    for (family, scenarios) in families(record) {
        for entry in &record.subjects {
            found.push(one(record, &entry.name, &family, &scenarios));
        }
    }
    found
}

/// Memory scenarios that differ in sessions only, by their common id.
fn families(record: &RunRecord) -> BTreeMap<String, Vec<Scenario>> {
    let mut families: BTreeMap<String, Vec<Scenario>> = BTreeMap::new();
    for scenario in &record.plan.scenarios {
        if let Some(ScenarioKind::Memory { sessions }) = scenario.tls().map(|tls| tls.kind) {
            let id = scenario.to_string().replace(&format!("/sessions-{sessions}"), "");
            families.entry(id).or_default().push(*scenario);
        }
    }
    families
}

fn one(record: &RunRecord, subject: &str, family: &str, scenarios: &[Scenario]) -> MemorySlope {
    let mut blocks: BTreeMap<u32, Points> = BTreeMap::new();
    let mut sessions = Vec::new();
    for trial in &record.trials {
        let Some(memory) = trial.measured().and_then(|measured| measured.memory) else { continue };
        if trial.subject == subject && scenarios.contains(&trial.scenario) {
            let point = (f64::from(memory.sessions), memory.peak_kib as f64 * 1024.0);
            blocks.entry(trial.block).or_default().push(point);
            sessions.push(memory.sessions);
        }
    }
    sessions.sort_unstable();
    sessions.dedup();
    let lines: Vec<(f64, f64)> = blocks.values().filter_map(|points| slope(points)).collect();
    let slopes: Vec<f64> = lines.iter().map(|(slope, _)| *slope).collect();
    let bases: Vec<f64> = lines.iter().map(|(_, base)| *base).collect();
    let interval = median_interval(&slopes);
    MemorySlope {
        subject: subject.to_owned(),
        family: family.to_owned(),
        n: lines.len(),
        bytes_per_session: interval.map(|i| i.median),
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
        coverage: interval.map(|i| i.coverage),
        base_bytes: median_interval(&bases).map(|i| i.median),
        warnings: warnings(&sessions, blocks.len(), lines.len(), interval),
        sessions,
    }
}

fn warnings(sessions: &[u32], blocks: usize, n: usize, interval: Option<Interval>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    match interval {
        None if sessions.is_empty() => warnings.push(Warning::NoMemory),
        None => warnings.push(Warning::NoSlope),
        Some(interval) => warnings.extend(warning::coverage(n, &interval)),
    }
    if n > 0 && n < blocks {
        warnings.push(Warning::SingleSessionCount { blocks: blocks - n });
    }
    warnings
}
