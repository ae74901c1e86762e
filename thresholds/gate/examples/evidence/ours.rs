//! The gate's own rule on simulated pull requests.

use crate::world::{Condition, SIDES, Source, burst, disturb, layout, trials};
use rand_chacha::ChaCha8Rng;
use shakedown_gate::{
    PairSpread, Verdict,
    rule::{NoiseModel, PairEffect, Sigma, TimeRule},
};
use shakedown_protocol::{Calibration, Metric, Scenario};

/// Pairs of links of unchanged code that a host is calibrated with, each in two pairs of trials.
const CALIBRATION_LINKS: usize = 30;

/// Pull requests that share one calibration: a host lives longer than a pull request.
pub const PER_SITE: u64 = 50;

/// How the trials of a scenario side are spent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Design {
    /// Blocks at most; an interim analysis after each.
    pub blocks: usize,
    /// ABBA pairs in a block.
    pub pairs: usize,
    /// Pairs of trials of the same two links.
    pub pairs_per_link: usize,
}

/// The design of `thresholds/pr.toml`.
pub const DESIGN: Design = Design { blocks: 10, pairs: 6, pairs_per_link: 1 };

/// The rule as `thresholds/pr.toml` sets it.
pub const RULE: TimeRule = TimeRule {
    margin: 0.01,
    non_inferiority_margin: 0.03,
    max_blocks: DESIGN.blocks as u32,
    false_alarms: 0.01,
    tests: SIDES,
};

/// A host with its calibration.
pub struct Site {
    sigmas: Vec<Sigma>,
}

impl Site {
    /// Learns the noise of every scenario side from relinked, unchanged code on a host that is as quiet
    /// as it gets.
    pub fn calibrated(source: &Source, condition: &Condition, rng: &mut ChaCha8Rng) -> Self {
        let quiet = Condition { noise: 1.0, spikes: 0.0, bursts: 0.0, ..*condition };
        // Runs of ten links: a calibration is put together from several nights.
        let run = Design { blocks: 1, pairs: 20, pairs_per_link: 2 };
        let noise = (0..SIDES).map(|side| {
            let mut spread = PairSpread::default();
            for _ in 0..CALIBRATION_LINKS / 10 {
                let values = trials(source, side, 2 * run.pairs, quiet.noise, rng);
                spread.add(&[pairs(&quiet, values, run, 1.0, rng)]);
            }
            let (scenario, of) = identity(side);
            spread.noise(scenario, of, Metric::Handshakes).expect("there are pairs")
        });
        Self::new(Some(&Calibration { noise: noise.collect(), ..Calibration::default() }))
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

    /// The noise of one scenario side.
    pub fn sigma(&self, side: usize) -> Sigma {
        self.sigmas[side]
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

/// Log ratios of neighbouring trials; above zero is worse. `slowdown` divides head's rate.
fn pairs(
    condition: &Condition,
    mut values: Vec<f64>,
    design: Design,
    slowdown: f64,
    rng: &mut ChaCha8Rng,
) -> Vec<PairEffect> {
    let (base, head) = abba(values.len() / 2);
    let mut offsets = (1.0, 1.0);
    for (number, (&b, &h)) in base.iter().zip(&head).enumerate() {
        if number % design.pairs_per_link == 0 {
            offsets = (layout(condition, rng), layout(condition, rng) / slowdown);
        }
        values[b] *= offsets.0;
        values[h] *= offsets.1;
    }
    disturb(condition, &mut values, rng);
    let link = |number: usize| (number / design.pairs_per_link) as u32;
    let one = |(number, (&b, &h)): (usize, (&usize, &usize))| PairEffect {
        links: (link(number), link(number)),
        log_ratio: (values[b] / values[h]).ln(),
    };
    base.iter().zip(&head).enumerate().map(one).collect()
}

/// All blocks that a scenario side of a pull request may take.
pub fn blocks(
    source: &Source,
    condition: &Condition,
    side: usize,
    design: Design,
    slowdown: f64,
    rng: &mut ChaCha8Rng,
) -> Vec<Vec<PairEffect>> {
    let all = design.pairs * design.blocks;
    let mut values = trials(source, side, 2 * all, condition.noise, rng);
    // A burst does not know of blocks: it runs over their ends.
    let (_, head) = abba(all);
    burst(condition, &mut values, &head, rng);
    let pairs = pairs(condition, values, design, slowdown, rng);
    pairs.chunks(design.pairs).map(<[PairEffect]>::to_vec).collect()
}

/// What became of one scenario side.
#[derive(Debug, Clone, Copy)]
pub struct Judged {
    /// The verdict.
    pub verdict: Verdict,
    /// Pairs of trials that it took.
    pub pairs: usize,
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
    let all = blocks(source, condition, side, DESIGN, slowdown, rng);
    (1..=all.len())
        .map(|count| {
            let found = RULE.decide(site.sigma(side), &all[..count], count == all.len());
            (found.open, Judged { verdict: found.verdict, pairs: found.pairs })
        })
        .find(|(open, _)| !open)
        .map_or(Judged { verdict: Verdict::Inconclusive, pairs: 0 }, |(_, judged)| judged)
}
