//! The tests that other tools use, for comparisons with them.

use super::{deviation, mean, t_above};
use statrs::distribution::{ContinuousCDF, Normal};

/// One-sided p of Welch's test: how likely `head` exceeds `base` by so much if their means
/// are equal. `None` where there are too few values or no spread at all.
pub fn welch_greater(base: &[f64], head: &[f64]) -> Option<f64> {
    let part = |values: &[f64]| Some(deviation(values)?.powi(2) / values.len() as f64);
    let (vb, vh) = (part(base)?, part(head)?);
    let both = vb + vh;
    if both <= 0.0 {
        return None;
    }
    let t = (mean(head)? - mean(base)?) / both.sqrt();
    let (nb, nh) = (base.len() as f64 - 1.0, head.len() as f64 - 1.0);
    let freedom = both * both / (vb * vb / nb + vh * vh / nh);
    Some(t_above(t, freedom))
}

/// Two-sided p of the Mann-Whitney U test by its normal limit with continuity and tie
/// correction, as used for samples of this size (20 and more a side).
pub fn mann_whitney(base: &[f64], head: &[f64]) -> Option<f64> {
    let (nb, nh) = (base.len() as f64, head.len() as f64);
    let mut all: Vec<(f64, bool)> = base.iter().map(|v| (*v, false)).collect();
    all.extend(head.iter().map(|v| (*v, true)));
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut ranks_of_head, mut ties, mut start) = (0.0, 0.0, 0);
    while start < all.len() {
        let same = all[start..].iter().take_while(|v| v.0 == all[start].0).count();
        let rank = start as f64 + (same as f64 + 1.0) / 2.0;
        ranks_of_head += rank * all[start..start + same].iter().filter(|v| v.1).count() as f64;
        let t = same as f64;
        ties += t * t * t - t;
        start += same;
    }
    let n = nb + nh;
    let u = ranks_of_head - nh * (nh + 1.0) / 2.0;
    let u = u.max(nb * nh - u);
    let variance = nb * nh / 12.0 * ((n + 1.0) - ties / (n * (n - 1.0)));
    if variance.is_nan() || variance <= 0.0 {
        return None;
    }
    let z = (u - nb * nh / 2.0 - 0.5) / variance.sqrt();
    Some((2.0 * Normal::standard().cdf(-z)).min(1.0))
}
