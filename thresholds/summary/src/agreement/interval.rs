//! A host's level against the median of the others.

use crate::stats::{deviation, mean, median, t_quantile};

/// The level of a host, as a logarithm.
#[derive(Debug, Clone, Copy)]
pub struct Level {
    mean: f64,
    se: f64,
    /// Degrees of freedom of the standard error.
    freedom: f64,
}

impl Level {
    /// Of at least two blocks. Not trimmed: so far out as Bonferroni asks, intervals of trimmed means of ten
    /// blocks cover too little.
    pub fn of(blocks: &[f64]) -> Self {
        let n = blocks.len() as f64;
        Self {
            mean: mean(blocks).unwrap_or(0.0),
            se: deviation(blocks).map_or(f64::INFINITY, |sd| sd / n.sqrt()),
            freedom: (n - 1.0).max(1.0),
        }
    }
}

/// Ends and middle of the factor of host `at` against the median of the others; `None` without others.
pub fn against_others(all: &[Level], at: usize, level: f64) -> Option<[f64; 3]> {
    let here = all[at];
    let others: Vec<Level> =
        all.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, other)| *other).collect();
    let center = median(&others.iter().map(|other| other.mean).collect::<Vec<f64>>())?;
    let n = others.len() as f64;
    // A median of more than two normal values varies more than their mean: by pi/2 in the limit.
    let more = if others.len() > 2 { std::f64::consts::FRAC_PI_2 } else { 1.0 };
    let reference = more * others.iter().map(|other| other.se.powi(2)).sum::<f64>() / (n * n);
    // The freedom of this host alone, which is too little: an interval that is too wide blames nobody.
    let reach = t_quantile(0.5 + level / 2.0, here.freedom) * (here.se.powi(2) + reference).sqrt();
    let delta = here.mean - center;
    Some([delta - reach, delta, delta + reach].map(f64::exp))
}
