//! The statistics behind summaries and verdicts. Distributions come from `statrs`; every
//! function here is checked against SciPy in `tests/scipy.rs`.

mod line;
mod order;
mod quantile;
mod tests_of;
mod trim;

pub use line::slope;
pub use order::{Interval, median_interval, median_interval_at};
pub use quantile::{clopper_pearson_upper, normal_quantile, t_above, t_quantile};
pub use shakedown_protocol::median;
pub use tests_of::{mann_whitney, welch_greater};
pub use trim::{
    GroupedMean, Trimmed, deviation, mean, trimmed_mean, trimmed_mean_of_groups, winsorize,
};

/// The coverage that intervals aim at.
pub const CONFIDENCE: f64 = 0.95;

/// Sorts a copy. Values of trials are never NaN: they are ratios of integers whose
/// denominators were checked.
pub(crate) fn sorted(values: &[f64]) -> Vec<f64> {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values
}
