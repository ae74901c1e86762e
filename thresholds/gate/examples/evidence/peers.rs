//! The rules of other tools, on the same kind of data: one build a side, all of base before
//! all of head, as they measure.

use crate::world::{Condition, Source, burst, disturb, layout, trials};
use rand_chacha::ChaCha8Rng;
use shakedown_summary::stats::{
    deviation, mann_whitney, mean, normal_quantile, t_quantile, welch_greater,
};

/// Runs a side, and length of the history.
pub const RUNS: usize = 30;

/// What a rule may look at. All values are costs (1 / rate): higher is worse.
pub struct Data {
    /// Runs of base at the time of the pull request, one build.
    base: Vec<f64>,
    /// Runs of head at the time of the pull request, one build.
    head: Vec<f64>,
    /// One run of each of the last builds of the main branch, on a quiet host.
    history: Vec<f64>,
}

impl Data {
    /// Draws the data of one scenario side.
    pub fn draw(
        source: &Source,
        condition: &Condition,
        side: usize,
        slowdown: f64,
        rng: &mut ChaCha8Rng,
    ) -> Self {
        let mut values = trials(source, side, 2 * RUNS, condition.noise, rng);
        let head: Vec<usize> = (RUNS..2 * RUNS).collect();
        burst(condition, &mut values, &head, rng);
        disturb(condition, &mut values, rng);
        let (of_base, of_head) = (layout(condition, rng), layout(condition, rng) / slowdown);
        let cost = |values: &[f64], of: f64| values.iter().map(|v| 1.0 / (v * of)).collect();
        let history = trials(source, side, RUNS, 1.0, rng)
            .into_iter()
            .map(|value| 1.0 / (value * layout(condition, rng)))
            .collect();
        Self { base: cost(&values[..RUNS], of_base), head: cost(&values[RUNS..], of_head), history }
    }
}

/// A peer's rule.
pub struct Peer {
    /// Name in tables.
    pub name: &'static str,
    /// Whether it calls head worse.
    pub alarm: fn(&Data) -> bool,
}

/// The rules, as their tools have them by default unless the name says otherwise.
pub const PEERS: [Peer; 8] = [
    Peer { name: "github-action-benchmark 200 %", alarm: |data| single(data, 2.0) },
    Peer { name: "github-action-benchmark 110 %", alarm: |data| single(data, 1.1) },
    Peer { name: "github-action-benchmark 105 %", alarm: |data| single(data, 1.05) },
    Peer { name: "Bencher t-test 0.99", alarm: bencher },
    Peer { name: "benchstat Mann-Whitney 0.05", alarm: |data| benchstat(data, 0.05) },
    Peer { name: "benchstat Mann-Whitney 0.01", alarm: |data| benchstat(data, 0.01) },
    Peer { name: "criterion", alarm: criterion },
    Peer { name: "rustls-bench-app IQR", alarm: iqr },
];

/// One run of the last commit, one run of this one, and a ratio between them.
fn single(data: &Data, ratio: f64) -> bool {
    data.head[0] / data.history[RUNS - 1] > ratio
}

/// One run of head above the upper boundary of the history: mean + t * standard deviation.
fn bencher(data: &Data) -> bool {
    let (Some(mean), Some(sd)) = (mean(&data.history), deviation(&data.history)) else {
        return false;
    };
    data.head[0] > mean + t_quantile(0.99, RUNS as f64 - 1.0) * sd
}

/// The distributions of the runs of both sides differ.
fn benchstat(data: &Data, alpha: f64) -> bool {
    let worse = mean(&data.head) > mean(&data.base);
    worse && mann_whitney(&data.base, &data.head).is_some_and(|p| p < alpha)
}

/// The means differ by a t test at 0.05, and the 95 % interval of the change lies above the
/// noise threshold of 1 %. Criterion bootstraps both; at 30 runs a side their normal limits,
/// used here, are the same for this purpose.
fn criterion(data: &Data) -> bool {
    let (Some(base), Some(head)) = (mean(&data.base), mean(&data.head)) else { return false };
    let part = |values: &[f64], mean: f64| {
        deviation(values).map_or(0.0, |sd| (sd / mean).powi(2) / values.len() as f64)
    };
    let change = head / base - 1.0;
    let se = (head / base) * (part(&data.base, base) + part(&data.head, head)).sqrt();
    let differs = welch_greater(&data.base, &data.head).is_some_and(|p| p < 0.025);
    differs && change - normal_quantile(0.975) * se > 0.01
}

/// One run a side; the change exceeds Q3 + 3 IQR of the history's changes from one build to
/// the next, and 1 %.
fn iqr(data: &Data) -> bool {
    let mut changes: Vec<f64> =
        data.history.windows(2).map(|pair| (pair[0] - pair[1]).abs() / pair[0]).collect();
    changes.sort_by(f64::total_cmp);
    let (low, high) = (changes[changes.len() / 4], changes[changes.len() * 3 / 4]);
    let threshold = (high + 3.0 * (high - low)).max(0.01);
    data.head[0] / data.base[RUNS - 1] - 1.0 > threshold
}
