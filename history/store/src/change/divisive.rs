//! E-divisive with a t-test, as Apache Otava runs it.
//!
//! Sources: Matteson and James, "A Nonparametric Approach for Multiple Change Point Analysis of
//! Multivariate Data" (2013), for the divergence; Fleming et al., "Hunter: Using Change Point
//! Detection to Hunt for Performance Regressions" (2023), for the windows, the t-test in place
//! of permutations, and the merging of weak points. Checked against Otava itself: see
//! `history/store/tests/otava/`.

use shakedown_summary::stats::t_above;

/// Otava's parameters, with its defaults.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DivisiveOptions {
    /// Size of the window, in nights.
    pub window: usize,
    /// Highest p-value of a change point.
    pub max_p: f64,
    /// Smallest relative change.
    pub min_magnitude: f64,
}

impl Default for DivisiveOptions {
    fn default() -> Self {
        Self { window: 50, max_p: 0.001, min_magnitude: 0.0 }
    }
}

/// A place where the series moves: `index` is the first value after the move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChangePoint {
    /// First value after the change.
    pub index: usize,
    /// p-value of the t-test between the segments on both sides.
    pub p: f64,
    /// Mean of the segment before.
    pub before: f64,
    /// Mean of the segment after.
    pub after: f64,
}

impl ChangePoint {
    /// Larger of the relative changes seen from either side.
    pub fn magnitude(&self) -> f64 {
        let relative = |from: f64, to: f64| if from == 0.0 { 0.0 } else { (to / from - 1.0).abs() };
        relative(self.before, self.after).max(relative(self.after, self.before))
    }
}

/// Finds the change points of a whole series, oldest first.
pub fn change_points(series: &[f64], options: &DivisiveOptions) -> Vec<ChangePoint> {
    let first_pass = match options.max_p {
        p if p < 0.05 => p * 10.0,
        p if p < 0.5 => p * 2.0,
        p => p,
    };
    let weak = weak_points(series, options.window.max(2), first_pass);
    merge(series, weak, options)
}

/// The divergence of every split of `values` and the best of them: `(tau, q)`, `tau` being the
/// first value of the right part. `None` below two values. `from..to` limits `tau`;
/// `whole` compares with everything to the right rather than with the best part of it.
pub fn best_split(values: &[f64], from: usize, to: usize, whole: bool) -> Option<(usize, f64)> {
    let n = values.len();
    let mut best: Option<(usize, f64)> = None;
    // Sum of distances within the left part, grown with it.
    let mut left = 0.0;
    for tau in 1..n {
        let new = values[tau - 1];
        left += values[..tau - 1].iter().map(|x| (x - new).abs()).sum::<f64>();
        if tau < from || tau > to {
            continue;
        }
        let (mut between, mut right) = (0.0, 0.0);
        for kappa in tau + 1..=n {
            let y = values[kappa - 1];
            between += values[..tau].iter().map(|x| (x - y).abs()).sum::<f64>();
            right += values[tau..kappa - 1].iter().map(|x| (x - y).abs()).sum::<f64>();
            if whole && kappa < n {
                continue;
            }
            let q = divergence(tau as f64, (kappa - tau) as f64, between, left, right);
            if best.is_none_or(|(_, highest)| q > highest) {
                best = Some((tau, q));
            }
        }
    }
    best
}

fn divergence(n: f64, m: f64, between: f64, left: f64, right: f64) -> f64 {
    let total = n + m;
    let left = if n > 1.0 { 2.0 * m / total / (n - 1.0) * left } else { 0.0 };
    let right = if m > 1.0 { 2.0 * n / total / (m - 1.0) * right } else { 0.0 };
    2.0 / total * between - left - right
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Otava hands the t-test standard deviations over `n`, not `n - 1`; so must this.
fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / values.len() as f64
}

fn compare(index: usize, left: &[f64], right: &[f64]) -> ChangePoint {
    let (before, after) = (mean(left), mean(right));
    let (n, m) = (left.len() as f64, right.len() as f64);
    let freedom = n + m - 2.0;
    let p = if freedom < 1.0 {
        1.0
    } else {
        let pooled = ((n - 1.0) * variance(left) + (m - 1.0) * variance(right)) / freedom;
        two_sided((after - before) / (pooled * (1.0 / n + 1.0 / m)).sqrt(), freedom)
    };
    ChangePoint { index, p, before, after }
}

/// p-value of a t statistic; NaN where there was neither spread nor difference.
pub(crate) fn two_sided(t: f64, freedom: f64) -> f64 {
    if t.is_nan() {
        return f64::NAN;
    }
    2.0 * t_above(t.abs(), freedom)
}

/// Ends of the segments between the points.
fn bounds(points: &[ChangePoint], length: usize) -> Vec<usize> {
    let mut bounds = vec![0];
    bounds.extend(points.iter().map(|point| point.index));
    bounds.push(length);
    bounds.dedup();
    bounds
}

/// The segments on both sides of `index`.
fn compare_within(series: &[f64], bounds: &[usize], index: usize) -> ChangePoint {
    let start = bounds.iter().copied().filter(|bound| *bound < index).max().unwrap_or(0);
    let end = bounds.iter().copied().filter(|bound| *bound > index).min().unwrap_or(series.len());
    compare(index, &series[start..index], &series[index..end])
}

/// Splits a window recursively while the best split is significant.
fn split_window(series: &[f64], max_p: f64) -> Vec<usize> {
    let mut points: Vec<ChangePoint> = Vec::new();
    loop {
        let bounds = bounds(&points, series.len());
        let mut best: Option<(usize, f64)> = None;
        for ends in bounds.windows(2) {
            let part = &series[ends[0]..ends[1]];
            if let Some((tau, q)) = best_split(part, 1, part.len(), false)
                && best.is_none_or(|(_, highest)| q > highest)
            {
                best = Some((tau + ends[0], q));
            }
        }
        let Some((index, _)) = best else { break };
        let point = compare_within(series, &bounds, index);
        // Written so that NaN ends the search.
        if point.p <= max_p {
            points.push(point);
            points.sort_by_key(|point| point.index);
        } else {
            break;
        }
    }
    points.iter().map(|point| point.index).collect()
}

fn weak_points(series: &[f64], window: usize, max_p: f64) -> Vec<ChangePoint> {
    let step = window / 2;
    let mut indices: Vec<usize> = Vec::new();
    let mut start = 0;
    while start < series.len() {
        let end = (start + window).min(series.len());
        let found: Vec<usize> =
            split_window(&series[start..end], max_p).iter().map(|index| index + start).collect();
        let last = found.last().copied().unwrap_or(0);
        indices.extend(found);
        start = last.max(start + step);
    }
    indices.sort_unstable();
    indices.dedup();
    let mut bounds = vec![0];
    bounds.extend(&indices);
    bounds.push(series.len());
    indices.iter().map(|&index| compare_within(series, &bounds, index)).collect()
}

/// Removes the weakest point until all are significant and large enough.
fn merge(
    series: &[f64],
    mut points: Vec<ChangePoint>,
    options: &DivisiveOptions,
) -> Vec<ChangePoint> {
    while !points.is_empty() {
        let by = |value: fn(&ChangePoint) -> f64, sign: f64| {
            let mut found = 0;
            for (at, point) in points.iter().enumerate() {
                if sign * value(point) > sign * value(&points[found]) {
                    found = at;
                }
            }
            found
        };
        let mut weakest = by(|point| point.p, 1.0);
        if points[weakest].p < options.max_p {
            weakest = by(ChangePoint::magnitude, -1.0);
            if points[weakest].magnitude() > options.min_magnitude {
                return points;
            }
        }
        points.remove(weakest);
        // The points on both sides of it have other segments now. (Otava 0.8 refreshes the two
        // after it, so that its numbers for the one before are out of date.)
        let bounds = bounds(&points, series.len());
        for neighbour in [weakest.checked_sub(1), Some(weakest)].into_iter().flatten() {
            if let Some(point) = points.get_mut(neighbour) {
                *point = compare_within(series, &bounds, point.index);
            }
        }
    }
    points
}
