//! The gate's own rule on simulated pull requests.

use crate::world::{Condition, SIDES, Source, burst, disturb, layout, trials};
use rand_chacha::ChaCha8Rng;
use shakedown_gate::{
    Verdict,
    rule::{NoiseModel, Sigma, TRIM, TimeRule},
};
use shakedown_protocol::{Calibration, Metric, MetricNoise, Scenario};
use shakedown_summary::stats::trimmed_mean;

/// Pairs in a block.
pub const PAIRS: usize = 10;

/// Blocks of unchanged code that a host is calibrated with.
const CALIBRATION_BLOCKS: u32 = 30;

/// The rule as `thresholds/pr.toml` sets it.
pub const RULE: TimeRule = TimeRule {
    margin: 0.01,
    non_inferiority_margin: 0.03,
    max_blocks: 4,
    false_alarms: 0.01,
    tests: SIDES,
};

/// A host with its calibration.
pub struct Site {
    sigmas: Vec<Sigma>,
}

impl Site {
    /// Learns the noise of every scenario side from rebuilt, unchanged code on a host that
    /// is as quiet as it gets.
    pub fn calibrated(source: &Source, condition: &Condition, rng: &mut ChaCha8Rng) -> Self {
        let quiet = Condition { noise: 1.0, spikes: 0.0, bursts: 0.0, ..*condition };
        let noise = (0..SIDES)
            .map(|side| {
                let squares: f64 = (0..CALIBRATION_BLOCKS)
                    .map(|_| {
                        let logs = block(source, &quiet, side, 1.0, rng);
                        trimmed_mean(&logs, TRIM).map_or(0.0, |found| found.mean.powi(2))
                    })
                    .sum();
                let sigma = (squares / f64::from(CALIBRATION_BLOCKS)).sqrt();
                let (scenario, of) = identity(side);
                MetricNoise {
                    scenario,
                    side: of,
                    metric: Metric::Handshakes,
                    blocks: CALIBRATION_BLOCKS,
                    sigma_ppm: (sigma * 1e6).round() as u32,
                    pair_ppm: None,
                }
            })
            .collect();
        Self::new(Some(&Calibration { noise, ..Calibration::default() }))
    }

    /// A host that nobody calibrated.
    pub fn uncalibrated() -> Self {
        Self::new(None)
    }

    fn new(calibration: Option<&Calibration>) -> Self {
        let noise = NoiseModel::new(calibration);
        let get = |side| {
            let (scenario, of) = identity(side);
            noise.get(scenario, of, Metric::Handshakes)
        };
        Self { sigmas: (0..SIDES).map(get).collect() }
    }
}

/// An id for a simulated scenario side; they need only differ.
fn identity(side: usize) -> (Scenario, shakedown_protocol::Side) {
    let id = format!("handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/threads-{}", side / 2 + 2);
    let scenario: Scenario = id.parse().expect("a valid scenario id");
    (scenario, scenario.sides()[side % 2])
}

/// Places in time of base and head within `pairs` ABBA pairs: base, head, head, base, ...
fn abba(pairs: usize) -> (Vec<usize>, Vec<usize>) {
    let place = |pair: usize, first: bool| 2 * pair + usize::from(pair.is_multiple_of(2) != first);
    (
        (0..pairs).map(|pair| place(pair, true)).collect(),
        (0..pairs).map(|pair| place(pair, false)).collect(),
    )
}

/// Log ratios of one block; above zero is worse. `slowdown` divides head's rate.
fn block(
    source: &Source,
    condition: &Condition,
    side: usize,
    slowdown: f64,
    rng: &mut ChaCha8Rng,
) -> Vec<f64> {
    let values = trials(source, side, 2 * PAIRS, condition.noise, rng);
    pairs(condition, values, slowdown, rng)
}

fn pairs(
    condition: &Condition,
    mut values: Vec<f64>,
    slowdown: f64,
    rng: &mut ChaCha8Rng,
) -> Vec<f64> {
    let (base, head) = abba(values.len() / 2);
    let (of_base, of_head) = (layout(condition, rng), layout(condition, rng) / slowdown);
    base.iter().for_each(|&place| values[place] *= of_base);
    head.iter().for_each(|&place| values[place] *= of_head);
    disturb(condition, &mut values, rng);
    base.iter().zip(&head).map(|(&b, &h)| (values[b] / values[h]).ln()).collect()
}

/// What became of one scenario side.
#[derive(Debug, Clone, Copy)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// Blocks that it took.
    pub blocks: usize,
}

/// Judges one scenario side of one pull request, block by block as the command does.
pub fn judge(
    site: &Site,
    source: &Source,
    condition: &Condition,
    side: usize,
    slowdown: f64,
    rng: &mut ChaCha8Rng,
) -> Judged {
    let most = RULE.max_blocks as usize;
    let mut values = trials(source, side, 2 * PAIRS * most, condition.noise, rng);
    // A burst does not know of blocks: it runs over their ends.
    let (_, head) = abba(PAIRS * most);
    burst(condition, &mut values, &head, rng);
    let mut blocks: Vec<Vec<f64>> = Vec::new();
    loop {
        let from = blocks.len() * 2 * PAIRS;
        let stretch = values[from..from + 2 * PAIRS].to_vec();
        blocks.push(pairs(condition, stretch, slowdown, rng));
        let found = RULE.decide(site.sigmas[side], &blocks, blocks.len(), blocks.len() == most);
        if !found.open {
            return Judged { verdict: found.verdict, blocks: blocks.len() };
        }
    }
}
