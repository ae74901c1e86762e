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

/// Ends and middle of each host's factor against the median of the others, and whether it is an outlier: its
/// interval lies beyond `margin`. The hosts that are furthest out go first, and do not count among the
/// others then, or a host would be blamed for being unlike them. `None` of a host without others.
pub fn factors(all: &[Level], level: f64, margin: f64) -> Vec<Option<([f64; 3], bool)>> {
    let mut out = vec![false; all.len()];
    let found = |out: &[bool], at: usize| {
        let others = |counts: &dyn Fn(usize) -> bool| -> Vec<Level> {
            (0..all.len()).filter(|i| *i != at && counts(*i)).map(|i| all[i]).collect()
        };
        let agreeing = others(&|i| !out[i]);
        let others = if agreeing.is_empty() { others(&|_| true) } else { agreeing };
        against(all[at], &others, level)
    };
    let beyond = |[low, _, high]: [f64; 3]| high < 1.0 - margin || low > 1.0 + margin;
    loop {
        let left: Vec<usize> = (0..all.len()).filter(|at| !out[*at]).collect();
        let furthest = left
            .iter()
            .filter_map(|at| Some((*at, found(&out, *at)?)))
            .filter(|(_, factor)| beyond(*factor))
            .max_by(|(_, one), (_, two)| one[1].ln().abs().total_cmp(&two[1].ln().abs()));
        match furthest {
            // Which of two is out can't be told.
            Some(_) if left.len() <= 2 => left.iter().for_each(|at| out[*at] = true),
            Some((at, _)) => out[at] = true,
            None => break,
        }
    }
    (0..all.len()).map(|at| Some((found(&out, at)?, out[at]))).collect()
}

/// Ends and middle of the factor against the median of others; `None` without any.
fn against(here: Level, others: &[Level], level: f64) -> Option<[f64; 3]> {
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
