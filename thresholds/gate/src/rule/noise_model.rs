//! How much unchanged code moves: the yardstick of the wall clock rule.

use serde::{Deserialize, Serialize};
use shakedown_protocol::{Calibration, Metric, MetricNoise, Scenario, Side};
use shakedown_summary::stats::mean;
use std::collections::BTreeMap;

/// Weight of the pooled noise, in pairs of links: with 30 of its own a scenario's noise is three
/// quarters own and one quarter pooled.
const POOLED_LINKS: f64 = 10.0;

/// A scenario with fewer pairs of links than this has no noise of its own.
const MIN_LINKS: u32 = 5;

/// Pairs of trials that [`Sigma::value`] is about.
pub(crate) const SIGMA_PAIRS: f64 = 10.0;

/// Where a noise comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SigmaSource {
    /// Unchanged code of this scenario on this host, pooled with the others by weight.
    ThisScenario,
    /// The noisiest scenario of its family, or of all: this one's history is too short.
    OtherScenarios,
    /// A conservative default: the host is not calibrated.
    Assumed,
}

/// The noise of unchanged code.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sigma {
    /// Standard deviation of the log ratio of one link of each side, measured in ten pairs.
    pub value: f64,
    /// The part of it that is no luck of the layout: standard deviation from one pair to the next, if
    /// the calibration tells the two apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pair: Option<f64>,
    /// Degrees of freedom of the test that uses it.
    pub degrees_of_freedom: f64,
    /// Where it comes from.
    pub source: SigmaSource,
}

impl Sigma {
    /// The standard error of the mean of this many pairs over this many pairs of links, if the noise is
    /// that of unchanged code: layouts average out over links only, the rest over all pairs.
    pub fn standard_error(&self, links: usize, pairs: usize) -> f64 {
        let (links, pairs) = (links.max(1) as f64, pairs.max(1) as f64);
        let of_pairs = self.pair.map_or(0.0, |pair| pair * pair);
        let of_layouts = (self.value.powi(2) - of_pairs / SIGMA_PAIRS).max(0.0);
        (of_layouts / links + of_pairs / pairs).sqrt()
    }
}

/// The noise of every scenario, ready to look up.
#[derive(Debug, Clone, Default)]
pub struct NoiseModel {
    own: BTreeMap<(Scenario, Side, Metric), MetricNoise>,
    /// Mean variance of each metric over the scenarios that have their own.
    pooled: BTreeMap<Metric, f64>,
    /// The same of the pairs alone, over those that tell it.
    pooled_pairs: BTreeMap<Metric, f64>,
}

impl NoiseModel {
    /// Takes the noise of a calibration in; `None`: nothing is known.
    pub fn new(calibration: Option<&Calibration>) -> Self {
        let mut found = Self::default();
        let mut squares: BTreeMap<Metric, Vec<f64>> = BTreeMap::new();
        let mut of_pairs: BTreeMap<Metric, Vec<f64>> = BTreeMap::new();
        for noise in calibration.iter().flat_map(|calibration| &calibration.noise) {
            if noise.blocks < MIN_LINKS {
                continue;
            }
            found.own.insert((noise.scenario, noise.side, noise.metric), *noise);
            squares.entry(noise.metric).or_default().push(sigma_of(noise).powi(2));
            let pair = noise.pair_ppm.map(|ppm| (f64::from(ppm) / 1e6).powi(2));
            of_pairs.entry(noise.metric).or_default().extend(pair);
        }
        let means = |all: BTreeMap<Metric, Vec<f64>>| {
            all.into_iter().filter_map(|(metric, all)| Some((metric, mean(&all)?))).collect()
        };
        found.pooled = means(squares);
        found.pooled_pairs = means(of_pairs);
        found
    }

    /// The noise to judge one metric by.
    pub fn get(&self, scenario: Scenario, side: Side, metric: Metric) -> Sigma {
        let Some(pooled) = self.pooled.get(&metric) else { return conservative(metric) };
        if let Some(noise) = self.own.get(&(scenario, side, metric)) {
            let blocks = f64::from(noise.blocks);
            let weight = blocks / (blocks + POOLED_LINKS);
            let blend = |own: f64, pooled: f64| (weight * own + (1.0 - weight) * pooled).sqrt();
            let pair = noise.pair_ppm.map(|ppm| (f64::from(ppm) / 1e6).powi(2));
            let pooled_pairs = self.pooled_pairs.get(&metric);
            let degrees_of_freedom = (blocks - 1.0).clamp(f64::from(MIN_LINKS - 1), 30.0);
            return Sigma {
                value: blend(sigma_of(noise).powi(2), *pooled),
                pair: pair.zip(pooled_pairs).map(|(own, pooled)| blend(own, *pooled)),
                degrees_of_freedom,
                source: SigmaSource::ThisScenario,
            };
        }
        let noisiest = |same_family: bool| {
            self.own
                .iter()
                .filter(|((other, _, of), _)| {
                    *of == metric && (!same_family || other.family() == scenario.family())
                })
                .map(|(_, noise)| sigma_of(noise))
                .max_by(f64::total_cmp)
        };
        match noisiest(true).or_else(|| noisiest(false)) {
            Some(value) => Sigma {
                value: value.max(pooled.sqrt()),
                pair: None,
                degrees_of_freedom: POOLED_LINKS,
                source: SigmaSource::OtherScenarios,
            },
            None => conservative(metric),
        }
    }
}

fn sigma_of(noise: &MetricNoise) -> f64 {
    // A noise of nothing is a defect of the calibration, not a perfect host.
    f64::from(noise.sigma_ppm.max(100)) / 1e6
}

/// What is assumed of a host that nobody calibrated: several times the noise of a tuned one,
/// so that only what is far beyond the margin fails.
fn conservative(metric: Metric) -> Sigma {
    let value = match metric {
        Metric::LatencyP99 => 0.10,
        Metric::LatencyP50 => 0.03,
        _ => 0.02,
    };
    Sigma { value, pair: None, degrees_of_freedom: POOLED_LINKS, source: SigmaSource::Assumed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_summary::fixture::{BULK, FULL, TICKET};

    fn noise(id: &str, blocks: u32, sigma_ppm: u32) -> MetricNoise {
        let scenario: Scenario = id.parse().unwrap();
        let side = scenario.sides()[0];
        MetricNoise {
            scenario,
            side,
            metric: Metric::Handshakes,
            blocks,
            sigma_ppm,
            pair_ppm: None,
        }
    }

    fn get(calibration: &Calibration, id: &str) -> Sigma {
        let scenario: Scenario = id.parse().unwrap();
        NoiseModel::new(Some(calibration)).get(scenario, scenario.sides()[0], Metric::Handshakes)
    }

    #[test]
    fn own_noise_is_pooled_by_weight() {
        let calibration = Calibration {
            noise: vec![noise(FULL, 30, 3000), noise(TICKET, 30, 9000)],
            ..Calibration::default()
        };
        let found = get(&calibration, FULL);
        // sqrt(3/4 own^2 + 1/4 pooled^2) with pooled^2 the mean of the variances.
        let expected = (0.75f64 * 9.0 + 0.25 * 45.0).sqrt() / 1000.0;
        assert!((found.value - expected).abs() < 1e-12, "{found:?}");
        assert_eq!((found.degrees_of_freedom, found.source), (29.0, SigmaSource::ThisScenario));
    }

    #[test]
    fn a_short_history_borrows_the_noisiest() {
        let calibration = Calibration {
            noise: vec![noise(FULL, 30, 3000), noise(TICKET, 30, 9000), noise(BULK, 4, 1)],
            ..Calibration::default()
        };
        let found = get(&calibration, BULK);
        assert_eq!((found.value, found.source), (0.009, SigmaSource::OtherScenarios));
        let sibling = "handshake-full/tls1.2/aes256-gcm/x25519/rsa-2048";
        assert!(
            (get(&calibration, sibling).value - 0.045f64.sqrt() / 1000f64.sqrt()).abs() < 1e-12
        );
    }

    #[test]
    fn layouts_average_out_over_links_and_the_rest_over_all_pairs() {
        let sigma = Sigma {
            value: (16.0_f64 + 9.0 / 10.0).sqrt() / 1000.0,
            pair: Some(0.003),
            degrees_of_freedom: 29.0,
            source: SigmaSource::ThisScenario,
        };
        let expected = |links: f64, pairs: f64| (16.0 / links + 9.0 / pairs).sqrt() / 1000.0;
        for (links, pairs) in [(1, 10), (4, 40), (20, 40), (40, 40)] {
            let found = sigma.standard_error(links, pairs);
            assert!(
                (found - expected(links as f64, pairs as f64)).abs() < 1e-12,
                "{links} {pairs}"
            );
        }
        // What older calibrations tell is taken for the luck of layouts as a whole.
        assert!(
            (Sigma { pair: None, ..sigma }.standard_error(4, 40) - sigma.value / 2.0).abs() < 1e-12
        );
    }

    #[test]
    fn without_history_a_large_noise_is_assumed() {
        let found = get(&Calibration::default(), FULL);
        assert_eq!((found.value, found.source), (0.02, SigmaSource::Assumed));
    }
}
