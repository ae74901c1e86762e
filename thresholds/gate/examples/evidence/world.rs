//! What is simulated: 60 scenario sides, and trials of them in time.
//!
//! A trial's value is a rate, relative to the scenario's usual one. It moves by the noise of
//! processes (heavy tailed: Student's t with five degrees of freedom), by a slow drift of the
//! host that neighbours in time share, by the layout of the binary that ran, and by what the
//! condition adds. The noise levels are the median spreads measured over 30 runs on a tuned
//! Xeon E-2386G: full handshakes 0.2-0.4 %, TLS 1.3 resumption 0.4-0.5 %, bulk 0.2-0.7 %,
//! TLS 1.2 resumption 1.4-1.6 %.

use crate::recorded::Recorded;
use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal, StudentT};

/// Scenario sides of one pull request.
pub const SIDES: usize = 60;

/// What is different from a quiet host with builds that do not matter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Condition {
    /// Name in tables.
    pub name: &'static str,
    /// Standard deviation of the offset that every build or relink gets.
    pub offset: f64,
    /// Factor on the noise of processes, at the time of the pull request only.
    pub noise: f64,
    /// Share of trials that something slows by 5 to 50 %.
    pub spikes: f64,
    /// Share of scenario sides in which a run of 3 to 15 trials of head alone is slowed by
    /// 5 to 20 %.
    pub bursts: f64,
}

const QUIET: Condition =
    Condition { name: "offset 0", offset: 0.0, noise: 1.0, spikes: 0.0, bursts: 0.0 };

/// The conditions of the tables. Disturbances come on top of the usual rebuild offset.
pub const CONDITIONS: [Condition; 6] = [
    QUIET,
    Condition { name: "offset 0.3 %", offset: 0.003, ..QUIET },
    Condition { name: "offset 1 %", offset: 0.01, ..QUIET },
    Condition { name: "noise x3", offset: 0.003, noise: 3.0, ..QUIET },
    Condition { name: "spikes", offset: 0.003, spikes: 0.05, ..QUIET },
    Condition { name: "bursts on head", offset: 0.003, bursts: 0.3, ..QUIET },
];

/// Where the noise of trials comes from.
#[derive(Debug, Clone)]
pub enum Source {
    /// Drawn from the levels above.
    Synthetic,
    /// Stretches of trials that were recorded on a real machine.
    Recorded(Vec<Recorded>),
}

impl Source {
    /// Name in tables and files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Synthetic => "synthetic",
            Self::Recorded(_) => "recorded",
        }
    }
}

/// Spread of one process to the next, for each scenario side.
pub fn spread(side: usize) -> f64 {
    // 24 full handshakes, 12 TLS 1.3 resumptions, 18 bulk, 6 TLS 1.2 resumptions; spaced
    // evenly within the measured ranges.
    let (place, count, low, high) = match side {
        0..24 => (side, 24, 0.002, 0.004),
        24..36 => (side - 24, 12, 0.004, 0.005),
        36..54 => (side - 36, 18, 0.002, 0.007),
        _ => (side - 54, 6, 0.014, 0.016),
    };
    low + (high - low) * place as f64 / (count - 1) as f64
}

/// The rates of `count` trials in a row, around 1, with nothing changed.
pub fn trials(
    source: &Source,
    side: usize,
    count: usize,
    noise: f64,
    rng: &mut ChaCha8Rng,
) -> Vec<f64> {
    match source {
        Source::Synthetic => synthetic(spread(side), count, noise, rng),
        Source::Recorded(series) => series[side % series.len()].stretch(count, noise, rng),
    }
}

fn synthetic(spread: f64, count: usize, noise: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
    // Variance of Student's t with five degrees of freedom is 5/3. A fifth of the variance
    // is drift with a memory of about ten trials.
    let tail = StudentT::new(5.0).expect("five is a valid number of degrees of freedom");
    let own = spread * noise * (0.8f64 * 3.0 / 5.0).sqrt();
    let slow = spread * noise * 0.2f64.sqrt();
    let memory = 0.9f64;
    let mut drift = slow * normal(rng);
    (0..count)
        .map(|_| {
            drift = memory * drift + (1.0 - memory * memory).sqrt() * slow * normal(rng);
            (own * tail.sample(rng) + drift).exp()
        })
        .collect()
}

/// Adds what the condition does to single trials of any side.
pub fn disturb(condition: &Condition, values: &mut [f64], rng: &mut ChaCha8Rng) {
    if condition.spikes > 0.0 {
        for value in values {
            if rng.random_bool(condition.spikes) {
                *value /= 1.0 + rng.random_range(0.05..0.5);
            }
        }
    }
}

/// Slows a run of head's trials, given by their places in time.
pub fn burst(condition: &Condition, values: &mut [f64], head: &[usize], rng: &mut ChaCha8Rng) {
    if condition.bursts > 0.0 && rng.random_bool(condition.bursts) {
        let length = rng.random_range(3..=15).min(head.len());
        let start = rng.random_range(0..=head.len() - length);
        let slower = 1.0 + rng.random_range(0.05..0.2);
        for &place in &head[start..start + length] {
            values[place] /= slower;
        }
    }
}

/// A factor on the rate: the luck of a layout.
pub fn layout(condition: &Condition, rng: &mut ChaCha8Rng) -> f64 {
    (condition.offset * normal(rng)).exp()
}

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}
