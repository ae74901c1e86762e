//! How much unchanged code moves: the yardstick of the wall clock rule.

use serde::{Deserialize, Serialize};
use shakedown_protocol::{Calibration, Metric, MetricNoise, Scenario, Side};
use std::collections::BTreeMap;

/// Weight of the pooled noise, in blocks: with 30 blocks of its own a scenario's noise is
/// three quarters own and one quarter pooled.
const POOLED_BLOCKS: f64 = 10.0;

/// A scenario with fewer blocks than this has no noise of its own.
const MIN_BLOCKS: u32 = 5;

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

/// The standard deviation between blocks of unchanged code.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sigma {
    /// Of the log ratio of one block.
    pub value: f64,
    /// Degrees of degrees_of_freedom of the test that uses it.
    pub degrees_of_freedom: f64,
    /// Where it comes from.
    pub source: SigmaSource,
}

/// The noise of every scenario, ready to look up.
#[derive(Debug, Clone, Default)]
pub struct NoiseModel {
    own: BTreeMap<(Scenario, Side, Metric), MetricNoise>,
    /// Mean variance of each metric over the scenarios that have their own.
    pooled: BTreeMap<Metric, f64>,
}

impl NoiseModel {
    /// Takes the noise of a calibration in; `None`: nothing is known.
    pub fn new(calibration: Option<&Calibration>) -> Self {
        let mut found = Self::default();
        let mut sums: BTreeMap<Metric, (f64, f64)> = BTreeMap::new();
        for noise in calibration.iter().flat_map(|calibration| &calibration.noise) {
            if noise.blocks < MIN_BLOCKS {
                continue;
            }
            found.own.insert((noise.scenario, noise.side, noise.metric), *noise);
            let sum = sums.entry(noise.metric).or_default();
            *sum = (sum.0 + sigma_of(noise).powi(2), sum.1 + 1.0);
        }
        found.pooled = sums.into_iter().map(|(metric, (sum, n))| (metric, sum / n)).collect();
        found
    }

    /// The noise to judge one metric by.
    pub fn get(&self, scenario: Scenario, side: Side, metric: Metric) -> Sigma {
        let Some(pooled) = self.pooled.get(&metric) else { return conservative(metric) };
        if let Some(noise) = self.own.get(&(scenario, side, metric)) {
            let blocks = f64::from(noise.blocks);
            let weight = blocks / (blocks + POOLED_BLOCKS);
            let variance = weight * sigma_of(noise).powi(2) + (1.0 - weight) * pooled;
            let degrees_of_freedom = (blocks - 1.0).clamp(f64::from(MIN_BLOCKS - 1), 30.0);
            return Sigma {
                value: variance.sqrt(),
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
                degrees_of_freedom: POOLED_BLOCKS,
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
    Sigma { value, degrees_of_freedom: POOLED_BLOCKS, source: SigmaSource::Assumed }
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
    fn without_history_a_large_noise_is_assumed() {
        let found = get(&Calibration::default(), FULL);
        assert_eq!((found.value, found.source), (0.02, SigmaSource::Assumed));
    }
}
