//! The noise of pairs of unchanged code, split into the luck of layouts and the rest.

use crate::rule::{PairEffect, SIGMA_PAIRS, TRIM};
use shakedown_protocol::{Metric, MetricNoise, Scenario, Side};
use shakedown_summary::stats::winsorize;
use std::collections::BTreeMap;

/// Pairs of unchanged code in one metric of one scenario side, those of the same links of the same run
/// together.
#[derive(Debug, Default)]
pub struct PairSpread {
    groups: Vec<Vec<f64>>,
}

impl PairSpread {
    /// Takes in the blocks of a run.
    pub fn add(&mut self, blocks: &[Vec<PairEffect>]) {
        let mut groups: BTreeMap<(u32, u32), Vec<f64>> = BTreeMap::new();
        for pair in blocks.iter().flatten().filter(|pair| pair.log_ratio.is_finite()) {
            groups.entry(pair.links).or_default().push(pair.log_ratio);
        }
        self.groups.extend(groups.into_values());
    }

    /// The noise of the metric whose pairs these are. It tells layouts from other noise only where some
    /// links ran in several pairs. `None` of nothing.
    pub fn noise(&self, scenario: Scenario, side: Side, metric: Metric) -> Option<MetricNoise> {
        let values: Vec<f64> = self.groups.iter().flatten().copied().collect();
        if values.is_empty() {
            return None;
        }
        // As the trimmed mean sees them: what it cuts has no more influence than what it keeps.
        let (winsorized, kept_share) = winsorize(&values, TRIM);
        let influence: Vec<f64> = winsorized.iter().map(|value| value / kept_share).collect();
        let total = influence.iter().map(|one| one * one).sum::<f64>() / influence.len() as f64;
        let (mut products, mut number) = (0.0, 0.0);
        let mut rest = influence.as_slice();
        for group in &self.groups {
            let (own, others) = rest.split_at(group.len());
            let squares: f64 = own.iter().map(|one| one * one).sum();
            products += own.iter().sum::<f64>().powi(2) - squares;
            number += (own.len() * (own.len() - 1)) as f64;
            rest = others;
        }
        // Saturates: a noise of more than 400,000 % is as bad as any.
        let ppm = |variance: f64| (variance.sqrt() * 1e6).round() as u32;
        let noise = |sigma: f64, pair: Option<f64>| MetricNoise {
            scenario,
            side,
            metric,
            blocks: self.groups.len() as u32,
            sigma_ppm: ppm(sigma),
            pair_ppm: pair.map(ppm),
        };
        if number == 0.0 {
            return Some(noise(total, None));
        }
        let layouts = (products / number).clamp(0.0, total);
        let pairs = total - layouts;
        Some(noise(layouts + pairs / SIGMA_PAIRS, Some(pairs)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;
    use rand_distr::{Distribution, StandardNormal};
    use shakedown_summary::fixture::FULL;

    fn noise(spread: &PairSpread) -> Option<MetricNoise> {
        spread.noise(FULL.parse().unwrap(), Side::Client, Metric::Handshakes)
    }

    /// 400 pairs of links, each measured in `pairs` pairs.
    fn drawn(layout: f64, pair: f64, pairs: u32) -> MetricNoise {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let mut draw =
            |sd: f64| -> f64 { sd * Distribution::<f64>::sample(&StandardNormal, &mut rng) };
        let mut spread = PairSpread::default();
        for link in 0..400 {
            let offset = draw(layout);
            let block = (0..pairs)
                .map(|_| PairEffect { links: (link, link), log_ratio: offset + draw(pair) })
                .collect();
            spread.add(&[block]);
        }
        noise(&spread).unwrap()
    }

    #[test]
    fn layouts_are_told_from_the_rest() {
        for (layout, pair) in [(0.01, 0.003), (0.003, 0.01), (0.0, 0.004)] {
            for pairs in [2, 10] {
                let found = drawn(layout, pair, pairs);
                let of_pairs = f64::from(found.pair_ppm.unwrap()) / 1e6;
                let expected = (layout * layout + pair * pair / 10.0).sqrt();
                let sigma = f64::from(found.sigma_ppm) / 1e6;
                assert_eq!(found.blocks, 400);
                // A trimmed mean of normal values has a seventh more variance than their mean.
                assert!((0.8..1.4).contains(&(of_pairs / pair)), "{layout} {pair}: {of_pairs}");
                assert!(
                    (sigma - expected).abs() < 0.25 * expected + 2e-4,
                    "{layout} {pair}: {sigma}"
                );
            }
        }
    }

    #[test]
    fn one_pair_a_link_tells_the_sum_alone() {
        let found = drawn(0.003, 0.004, 1);
        assert_eq!(found.pair_ppm, None);
        assert!((4_500..6_000).contains(&found.sigma_ppm), "{found:?}");
        assert_eq!(noise(&PairSpread::default()), None);
    }
}
