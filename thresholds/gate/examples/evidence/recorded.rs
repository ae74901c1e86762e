//! Trials that were recorded on a real machine, replayed in stretches.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

/// Trials of one scenario side and build, in the order in which they ran.
#[derive(Debug, Clone, Deserialize)]
pub struct Recorded {
    /// Subject, scenario and side.
    pub name: String,
    /// Rates.
    pub values: Vec<f64>,
}

impl Recorded {
    /// A stretch of neighbours in time, so that drift and bursts stay as they were; starts
    /// anywhere and wraps around. `noise` widens the distance from the median.
    pub fn stretch(&self, count: usize, noise: f64, rng: &mut ChaCha8Rng) -> Vec<f64> {
        let middle = gate::stats::median(&self.values).unwrap_or(1.0);
        let start = rng.random_range(0..self.values.len());
        // Forward or backward: twice as many different stretches.
        let backward = rng.random_bool(0.5);
        let length = self.values.len();
        (0..count)
            .map(|i| {
                let place = if backward { start + length * count - i } else { start + i };
                (noise * (self.values[place % length] / middle).ln()).exp()
            })
            .collect()
    }
}
