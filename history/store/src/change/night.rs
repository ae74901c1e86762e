//! The rule that decides each night.
//!
//! A test at p < 0.001, repeated every night for thousands of series, raises false alarms every week:
//! each night is another chance, and so is each place where the series might be split. This rule
//! corrects for all of these chances in advance. With a budget of `B` false suspects per year over the
//! whole history, `S` series and 365 nights, one night may raise a false suspect in one series with
//! probability `B / (365 S)`. Because the test chooses the place of the split, its p-value is
//! multiplied by the number of candidate places. The sum over all places, nights and series is then at
//! most `B` (union bound, for any dependence between nights), as long as the values are normally
//! distributed. Real values are not quite. Therefore a change must also exceed the floor, and is a
//! *suspect* until it is measured again.
//!
//! Decisions are final: later nights ignore everything before a decided change point, so that they
//! neither move nor withdraw it.

use super::divisive::{best_split, two_sided};
use serde::{Deserialize, Serialize};
use shakedown_summary::stats::t_quantile;

/// Parameters of the rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    /// Maximum p-value of one night and series, over all places.
    pub max_p: f64,
    /// Minimum number of nights before a change.
    pub before: usize,
    /// Minimum number of nights after it, including its own.
    pub after: usize,
    /// Number of nights in the window; older ones are ignored.
    pub window: usize,
    /// Minimum change, as a fraction; the noise of the series can raise it.
    pub floor: f64,
    /// Minimum ratio of the change to the noise of the series, if known.
    pub noise_factor: f64,
}

impl Rule {
    /// The rule for a history of `series` series that may raise `budget` false suspects a year.
    pub fn for_budget(budget: f64, series: usize) -> Self {
        let chances = 365.0 * series.max(1) as f64;
        Self {
            max_p: (budget / chances).min(1e-4),
            before: 8,
            after: 3,
            window: 60,
            floor: 0.01,
            noise_factor: 3.0,
        }
    }
}

/// A detected change.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Detection {
    /// First value after the change, as an index into the series.
    pub index: usize,
    /// Value after over value before.
    pub factor: f64,
    /// Lower end of the factor's 95 % interval.
    pub low: f64,
    /// Upper end of the factor's 95 % interval.
    pub high: f64,
    /// p-value, corrected for the choice of the place.
    pub p: f64,
}

/// Decides whether the series, oldest value first, has changed. `noise`: standard deviation of
/// unchanged code between nights, as a fraction, if known. A series with values that are not positive
/// is never judged.
pub fn judge(values: &[f64], noise: Option<f64>, rule: &Rule) -> Option<Detection> {
    let skipped = values.len().saturating_sub(rule.window);
    let values = &values[skipped..];
    if values.len() < rule.before + rule.after || values.iter().any(|&v| v <= 0.0 || !v.is_finite())
    {
        return None;
    }
    let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    let last = logs.len() - rule.after;
    // Looked for up to the last night: a change of which too few nights are known yet would
    // otherwise be found at a wrong place instead of being waited for.
    let (tau, _) = best_split(&logs, rule.before, logs.len() - 1, true)?;
    if tau > last {
        return None;
    }
    let places = (logs.len() - rule.before) as f64;
    let change = NightChange::between(&logs[..tau], &logs[tau..]);
    let p = (two_sided(change.shift / change.error, change.freedom) * places).min(1.0);
    let floor = (1.0 + rule.floor).ln().max(rule.noise_factor * noise.unwrap_or(0.0));
    // Written so that NaN is no change.
    if !(p <= rule.max_p && change.shift.abs() >= floor) {
        return None;
    }
    let reach = change.quantile(0.975) * change.error;
    Some(Detection {
        index: tau + skipped,
        factor: change.shift.exp(),
        low: (change.shift - reach).exp(),
        high: (change.shift + reach).exp(),
        p,
    })
}

struct NightChange {
    shift: f64,
    error: f64,
    freedom: f64,
}

impl NightChange {
    /// Difference of means with pooled variance: three nights are too few for their own.
    fn between(left: &[f64], right: &[f64]) -> Self {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let squares = |values: &[f64], mean: f64| -> f64 {
            values.iter().map(|value| (value - mean).powi(2)).sum()
        };
        let (before, after) = (mean(left), mean(right));
        let (n, m) = (left.len() as f64, right.len() as f64);
        let freedom = n + m - 2.0;
        let pooled = (squares(left, before) + squares(right, after)) / freedom;
        Self { shift: after - before, error: (pooled * (1.0 / n + 1.0 / m)).sqrt(), freedom }
    }

    fn quantile(&self, probability: f64) -> f64 {
        t_quantile(probability, self.freedom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Noise that is the same on every machine: one percent wide, no two neighbours alike.
    fn wobble(night: usize, width: f64) -> f64 {
        1.0 + width * (((night * 7919 + 13) % 101) as f64 / 100.0 - 0.5)
    }

    fn nights(count: usize, step_at: usize, factor: f64) -> Vec<f64> {
        (0..count)
            .map(|night| 1000.0 * wobble(night, 0.01) * if night >= step_at { factor } else { 1.0 })
            .collect()
    }

    #[test]
    fn a_step_is_found_three_nights_after_with_its_size() {
        let rule = Rule::for_budget(1.0, 3200);
        assert_eq!(judge(&nights(42, 40, 0.95), None, &rule), None, "two nights are too few");
        let found = judge(&nights(43, 40, 0.95), None, &rule).unwrap();
        assert_eq!(found.index, 40);
        assert!(found.low < 0.95 && 0.95 < found.high, "{found:?}");
        assert!(found.high - found.low < 0.02, "{found:?}");
    }

    #[test]
    fn noise_and_outliers_are_no_change() {
        let rule = Rule::for_budget(1.0, 3200);
        let mut values = nights(60, 60, 1.0);
        assert_eq!(judge(&values, None, &rule), None);
        values[58] *= 0.7;
        assert_eq!(judge(&values, None, &rule), None, "one bad night");
        assert_eq!(judge(&nights(60, 50, 0.95), Some(0.02), &rule), None, "below three sigma");
        assert_eq!(judge(&[f64::NAN; 60], None, &rule), None);
        assert_eq!(judge(&[5.0; 60], None, &rule), None, "no spread, no change");
        let mut counts = vec![5.0; 30];
        counts.extend([6.0; 3]);
        assert_eq!(judge(&counts, None, &rule).unwrap().index, 30, "exact counts that move");
    }

    proptest! {
        /// What a subject is measured in does not matter.
        #[test]
        fn units_do_not_matter(scale in 1e-3f64..1e6, at in 15usize..50) {
            let rule = Rule::for_budget(1.0, 100);
            let values = nights(60, at, 1.04);
            let scaled: Vec<f64> = values.iter().map(|value| value * scale).collect();
            let (one, two) = (judge(&values, None, &rule).unwrap(), judge(&scaled, None, &rule).unwrap());
            prop_assert_eq!(one.index, two.index);
            prop_assert!((one.factor - two.factor).abs() < 1e-9);
        }
    }
}
