//! From the rates of a class of hosts to the level of each block of each host.

use crate::{
    series::{Key, series},
    stats::median,
};
use shakedown_protocol::{RunRecord, Scenario, Side};
use std::collections::{BTreeMap, BTreeSet};

/// What the blocks of one host say, as logarithms.
pub struct BlockLevels {
    /// Speed of the first subject.
    pub first: Vec<f64>,
    /// Speed of the second subject.
    pub second: Vec<f64>,
    /// The second against the first.
    pub ratio: Vec<f64>,
}

/// A rate, on every host.
type RateKey = (Scenario, Side);
/// The logarithm of each block's rate.
type Blocks = BTreeMap<u32, f64>;
/// The rates of one host that both subjects have.
type Rates = BTreeMap<RateKey, [Blocks; 2]>;

/// The levels of each host, and of how many rates.
pub fn levels(hosts: &[&RunRecord]) -> (usize, Vec<BlockLevels>) {
    let rates: Vec<Rates> = hosts.iter().map(|record| rates(record)).collect();
    let mut common: BTreeSet<RateKey> =
        rates.first().map(|first| first.keys().copied().collect()).unwrap_or_default();
    common.retain(|key| rates.iter().all(|of| of.contains_key(key)));
    let centers: BTreeMap<RateKey, [f64; 2]> =
        common.iter().map(|key| (*key, [0, 1].map(|at| center(&rates, key, at)))).collect();
    let all = rates.iter().map(|of| block_levels(of, &centers)).collect();
    (common.len(), all)
}

/// What the class reached: the median over its hosts, so that each counts once.
fn center(rates: &[Rates], key: &RateKey, subject: usize) -> f64 {
    let middle = |of: &Rates| {
        let blocks = of.get(key)?;
        median(&blocks[subject].values().copied().collect::<Vec<f64>>())
    };
    median(&rates.iter().filter_map(middle).collect::<Vec<f64>>()).unwrap_or(0.0)
}

/// Blocks in which every rate is there: another mixture of rates would have another level.
fn block_levels(of: &Rates, centers: &BTreeMap<RateKey, [f64; 2]>) -> BlockLevels {
    let mut whole: Option<BTreeSet<u32>> = None;
    for [first, second] in centers.keys().filter_map(|key| of.get(key)) {
        let both: BTreeSet<u32> =
            first.keys().filter(|block| second.contains_key(block)).copied().collect();
        whole = Some(match whole {
            Some(before) => before.intersection(&both).copied().collect(),
            None => both,
        });
    }
    let mut found = BlockLevels { first: Vec::new(), second: Vec::new(), ratio: Vec::new() };
    for block in whole.unwrap_or_default() {
        let above: Vec<[f64; 2]> = centers
            .iter()
            .filter_map(|(key, center)| {
                let rates = of.get(key)?;
                Some([0, 1].map(|at| rates[at][&block] - center[at]))
            })
            .collect();
        let of = |take: fn(&[f64; 2]) -> f64| median(&above.iter().map(take).collect::<Vec<f64>>());
        found.first.extend(of(|both| both[0]));
        found.second.extend(of(|both| both[1]));
        found.ratio.extend(of(|both| both[1] - both[0]));
    }
    found
}

/// Rates only: counts are equal everywhere, and latencies say the same again.
fn rates(record: &RunRecord) -> Rates {
    let [first, second] = [0, 1].map(|at| record.subjects[at].name.as_str());
    let mut found = Rates::new();
    for ((subject, Key { scenario, side, metric, .. }), points) in series(record) {
        if !metric.is_rate() {
            continue;
        }
        let at = usize::from(subject != first);
        if at == 1 && subject != second {
            continue;
        }
        let blocks = &mut found.entry((scenario, side)).or_default()[at];
        for point in points.iter().filter(|point| point.value > 0.0) {
            blocks.insert(point.block, point.value.ln());
        }
    }
    found.retain(|_, both| both.iter().all(|blocks| !blocks.is_empty()));
    found
}
