//! One number for a family of scenarios: the geometric mean of its factors.

use crate::{
    factor::{EffectDirection, by_block, points, ratio},
    series::{Key, Series},
    stats::{Interval, median_interval},
};
use serde::Serialize;
use shakedown_protocol::{Metric, RunRecord};
use std::collections::{BTreeMap, BTreeSet};

/// What a table of several stacks is read for: rates and memory. The other metrics follow from
/// these, or are counts that explain them.
pub const HEADLINE_METRICS: [Metric; 5] = [
    Metric::Handshakes,
    Metric::Operations,
    Metric::Throughput,
    Metric::PeakMemory,
    Metric::SessionMemory,
];

/// A subject against the first subject over all scenarios and sides of a family.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FamilyFactor {
    /// The first subject.
    pub base: String,
    /// The subject.
    pub subject: String,
    /// The family, as in the ids.
    pub family: String,
    /// The metric.
    pub metric: Metric,
    /// Scenario sides that both subjects have values of.
    pub sides: usize,
    /// Blocks in which each of these has a ratio.
    pub n: usize,
    /// Median over the blocks of the geometric mean within the block; above 1 is better.
    pub factor: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// Probability that the interval covers the true median of the geometric mean.
    pub coverage: f64,
    /// Which way it points.
    pub direction: EffectDirection,
}

/// The families with at least two scenario sides that both subjects have values of: the geometric
/// mean of one is that one.
pub(super) fn families(record: &RunRecord, series: &Series<'_>) -> Vec<FamilyFactor> {
    let Some((first, others)) = record.subjects.split_first() else { return Vec::new() };
    let keys: BTreeSet<Key> = series.keys().map(|(_, key)| *key).collect();
    let mut groups: Vec<((String, Metric), Vec<Key>)> = Vec::new();
    for key in keys.into_iter().filter(|key| HEADLINE_METRICS.contains(&key.metric)) {
        let group = (key.scenario.family().to_owned(), key.metric);
        match groups.iter_mut().find(|(known, _)| *known == group) {
            Some((_, keys)) => keys.push(key),
            None => groups.push((group, vec![key])),
        }
    }
    let mut found = Vec::new();
    for ((family, metric), keys) in &groups {
        for other in others {
            let ratios = |key: &Key| {
                let base = by_block(points(series, &first.name, *key));
                let head = by_block(points(series, &other.name, *key));
                both(*metric, &base, &head)
            };
            let ratios: Vec<BTreeMap<u32, f64>> =
                keys.iter().map(ratios).filter(|ratios| !ratios.is_empty()).collect();
            let means = geometric_means(&ratios);
            let Some(interval) = median_interval(&means).filter(|_| ratios.len() > 1) else {
                continue;
            };
            let Interval { median, low, high, coverage } = interval;
            let same = ratios.iter().flat_map(BTreeMap::values).all(|ratio| *ratio == 1.0);
            found.push(FamilyFactor {
                base: first.name.clone(),
                subject: other.name.clone(),
                family: family.clone(),
                metric: *metric,
                sides: ratios.len(),
                n: means.len(),
                factor: median,
                low,
                high,
                coverage,
                direction: EffectDirection::of(interval, same),
            });
        }
    }
    found
}

/// The ratio of each block in which both subjects have a value.
fn both(
    metric: Metric,
    base: &BTreeMap<u32, f64>,
    head: &BTreeMap<u32, f64>,
) -> BTreeMap<u32, f64> {
    let of = |(block, base): (&u32, &f64)| {
        Some((*block, ratio(metric.better(), *base, *head.get(block)?)?))
    };
    base.iter().filter_map(of).collect()
}

/// The geometric mean of each block that has all ratios: with one missing, it would be the mean of
/// something else.
fn geometric_means(ratios: &[BTreeMap<u32, f64>]) -> Vec<f64> {
    let Some((first, others)) = ratios.split_first() else { return Vec::new() };
    let mean = |block: &u32| {
        let logs = others.iter().map(|one| one.get(block).map(|ratio| ratio.ln()));
        let sum = logs.sum::<Option<f64>>()? + first[block].ln();
        Some((sum / ratios.len() as f64).exp())
    };
    first.keys().filter_map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{fixture::*, summarize};
    use shakedown_protocol::fixture::Noisy;

    const A: &str = "rustls@1";
    const B: &str = "openssl@1";

    fn measured(factors: [f64; 2], noise: f64, draws: &mut Noisy) -> FamilyFactor {
        let second = FULL.replace("x25519", "secp256r1");
        let mut made = record(&[A, B], &[FULL, &second]);
        for block in 0..6 {
            for (id, factor) in [FULL, &second].into_iter().zip(factors) {
                // What a block does to one process, it partly does to all.
                let mut spread = || (noise * draws.draw()).exp();
                let shared = spread();
                let base = [1e4 * shared * spread(), 4e3 * shared * spread()];
                let head = [1e4 * factor * spread(), 4e3 * factor * spread()];
                rate(&mut made, block, A, id, base);
                rate(&mut made, block, B, id, head);
            }
        }
        let mut families = summarize(&made).families;
        assert_eq!(families.len(), 1);
        families.remove(0)
    }

    #[test]
    fn a_family_is_the_geometric_mean_of_its_factors() {
        let found = measured([2.0, 0.5], 0.0, &mut Noisy(1));
        assert!((found.factor - 1.0).abs() < 1e-12, "{found:?}");
        let found = measured([2.0, 8.0], 0.0, &mut Noisy(1));
        assert!((found.factor - 4.0).abs() < 1e-12, "{found:?}");
        assert_eq!((found.sides, found.n, found.family.as_str()), (4, 6, "handshake-full"));
        assert_eq!(found.direction, EffectDirection::Better);
        assert_eq!(found.coverage, 0.96875);
    }

    #[test]
    fn a_block_without_one_of_the_ratios_has_no_mean() {
        let ratios = [[(0, 2.0), (1, 2.0)].into(), [(1, 8.0)].into()];
        let means = geometric_means(&ratios);
        assert_eq!(means.len(), 1);
        assert!((means[0] - 4.0).abs() < 1e-12, "{means:?}");
        assert_eq!(geometric_means(&[]), [0.0; 0]);
    }

    /// Of 2,000 runs whose true mean is known, the intervals of about 96.9 % cover it.
    #[test]
    fn the_interval_covers_what_it_says() {
        let mut draws = Noisy(7);
        let runs = 2000;
        let truth = (1.5_f64 * 0.7).sqrt();
        let covered = (0..runs)
            .filter(|_| {
                let found = measured([1.5, 0.7], 0.05, &mut draws);
                found.low <= truth && truth <= found.high
            })
            .count();
        let share = covered as f64 / f64::from(runs);
        // Four standard errors of such a share are 1.6 %.
        assert!((share - 0.96875).abs() < 0.016, "{share}");
    }
}
