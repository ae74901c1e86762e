//! How many times as good as the first subject.

use crate::{
    Warning, absence,
    series::{Key, Observation, Series},
    stats::{CONFIDENCE, Interval, median_interval},
    warning,
};
use serde::Serialize;
use shakedown_protocol::{Better, Metric, RunRecord, Scenario, Side};
use std::collections::{BTreeMap, BTreeSet};

/// Which way a factor points, as far as its interval shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EffectDirection {
    /// The whole interval is above 1, with full coverage.
    Better,
    /// The whole interval is below 1, with full coverage.
    Worse,
    /// Both have the same value in every block.
    Same,
    /// The interval holds 1, or covers too little.
    Unclear,
}

impl EffectDirection {
    /// Where an interval of factors points; `same` if there is no difference at all.
    pub(super) fn of(interval: Interval, same: bool) -> Self {
        match interval {
            _ if same => Self::Same,
            i if i.coverage < CONFIDENCE => Self::Unclear,
            i if i.low > 1.0 => Self::Better,
            i if i.high < 1.0 => Self::Worse,
            _ => Self::Unclear,
        }
    }
}

/// A subject against the first subject of the record, paired within blocks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Factor {
    /// The first subject.
    pub base: String,
    /// The subject.
    pub subject: String,
    /// The scenario.
    pub scenario: Scenario,
    /// The side.
    pub side: Side,
    /// The metric.
    pub metric: Metric,
    /// Which way the metric is better.
    pub better: Better,
    /// Blocks in which both have a value.
    pub n: usize,
    /// How many times as good as the first subject: its rate over the other's, or the
    /// other's cost over its own. Above 1 is better, whatever the metric. `None` where
    /// nothing could be paired.
    pub factor: Option<f64>,
    /// Lower end of the interval.
    pub low: Option<f64>,
    /// Upper end of the interval.
    pub high: Option<f64>,
    /// Probability that the interval covers the true median factor.
    pub coverage: Option<f64>,
    /// Which way it points.
    pub direction: Option<EffectDirection>,
    /// What a reader must know.
    pub warnings: Vec<Warning>,
}

/// Factors of every subject but the first, in the order of the rows. A pair that nothing
/// can be said about has an entry too, with the reason.
pub(super) fn factors(record: &RunRecord, series: &Series<'_>) -> Vec<Factor> {
    let Some((first, others)) = record.subjects.split_first() else { return Vec::new() };
    let keys: BTreeSet<Key> = series.keys().map(|(_, key)| *key).collect();
    let mut found = Vec::new();
    for key in keys {
        for other in others {
            let base = points(series, &first.name, key);
            let head = points(series, &other.name, key);
            let mut factor = paired(key, base, head);
            factor.base.clone_from(&first.name);
            factor.subject.clone_from(&other.name);
            for (name, points) in [(&first.name, base), (&other.name, head)] {
                if points.is_empty() {
                    let absence = absence(record, name, &key);
                    factor.warnings.push(Warning::NoValue { subject: name.clone(), absence });
                }
            }
            found.push(factor);
        }
    }
    found
}

pub(super) fn points<'s>(series: &'s Series<'_>, name: &'s str, key: Key) -> &'s [Observation] {
    series.get(&(name, key)).map_or(&[], Vec::as_slice)
}

/// Value of each block: several trials of one subject in a block stand for their geometric
/// mean, since it is their ratio that counts.
pub fn by_block(points: &[Observation]) -> BTreeMap<u32, f64> {
    let mut logs: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for point in points {
        let entry = logs.entry(point.block).or_default();
        *entry = (entry.0 + point.value.ln(), entry.1 + 1.0);
    }
    let single: BTreeMap<u32, f64> = points.iter().map(|p| (p.block, p.value)).collect();
    logs.into_iter()
        .map(|(block, (sum, count))| {
            // One trial is the usual case: no detour over logarithms, and no rounding.
            let value = if count == 1.0 { single[&block] } else { (sum / count).exp() };
            (block, value)
        })
        .collect()
}

/// Ratio in favour of `head`; `None` where a zero leaves no ratio.
pub(super) fn ratio(better: Better, base: f64, head: f64) -> Option<f64> {
    let (above, below) = match better {
        Better::Higher => (head, base),
        Better::Lower => (base, head),
    };
    match (above == 0.0, below == 0.0) {
        (true, true) => Some(1.0),
        (_, true) | (true, _) => None,
        _ => Some(above / below),
    }
}

fn paired(key: Key, base: &[Observation], head: &[Observation]) -> Factor {
    let better = key.metric.better();
    let (base_blocks, head_blocks) = (by_block(base), by_block(head));
    let pairs: Vec<(f64, f64)> = base_blocks
        .iter()
        .filter_map(|(block, base)| Some((*base, *head_blocks.get(block)?)))
        .collect();
    let ratios: Vec<f64> = pairs.iter().filter_map(|(b, h)| ratio(better, *b, *h)).collect();
    let interval = median_interval(&ratios);
    let mut warnings: Vec<Warning> =
        interval.and_then(|i| warning::coverage(ratios.len(), &i)).into_iter().collect();
    let unpaired = base_blocks.len().max(head_blocks.len()) - pairs.len();
    if unpaired > 0 && !base.is_empty() && !head.is_empty() {
        warnings.push(Warning::UnpairedBlocks { blocks: unpaired });
    }
    if ratios.len() < pairs.len() {
        warnings.push(Warning::ZeroValues { blocks: pairs.len() - ratios.len() });
    }
    let same = pairs.iter().all(|(b, h)| b == h);
    let direction = interval.map(|interval| EffectDirection::of(interval, same));
    Factor {
        base: String::new(),
        subject: String::new(),
        scenario: key.scenario,
        side: key.side,
        metric: key.metric,
        better,
        n: ratios.len(),
        factor: interval.map(|i| i.median),
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
        coverage: interval.map(|i| i.coverage),
        direction,
        warnings,
    }
}
