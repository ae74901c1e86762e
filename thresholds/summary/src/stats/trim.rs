//! A mean that single disturbed values can't move, and its standard error.

use super::sorted;
use serde::Serialize;

/// A trimmed mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Trimmed {
    /// Mean of the values that were kept.
    pub mean: f64,
    /// Standard error of the mean, after Yuen: from the winsorized standard deviation.
    /// `None` of a single value.
    pub se: Option<f64>,
    /// Values that were kept.
    pub kept: usize,
}

/// Trims `share` of the values at each end, rounded down to whole values; `None` of nothing,
/// or if nothing were left.
pub fn trimmed_mean(values: &[f64], share: f64) -> Option<Trimmed> {
    let values = sorted(values);
    let n = values.len();
    let cut = (share * n as f64).floor() as usize;
    if n <= 2 * cut {
        return None;
    }
    let kept = &values[cut..n - cut];
    let mean = kept.iter().sum::<f64>() / kept.len() as f64;
    let (winsorized, kept_share) = winsorize(&values, share);
    let se = deviation(&winsorized).map(|sd| sd / (kept_share * (n as f64).sqrt()));
    Some(Trimmed { mean, se, kept: kept.len() })
}

/// A trimmed mean of values that come in groups.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupedMean {
    /// Mean of the values that were kept, over all groups.
    pub mean: f64,
    /// Standard error from the spread of the groups: values of one group may share an offset. `None`
    /// of a single group.
    pub se: Option<f64>,
    /// Degrees of freedom of `se`, after Yuen: of the groups that trimming leaves.
    pub degrees_of_freedom: f64,
}

/// The trimmed mean over the values of all groups, with a standard error that takes the values of
/// one group together: each value counts with its influence on the mean (winsorized, over the share
/// that is kept), and groups are independent.
pub fn trimmed_mean_of_groups<G: AsRef<[f64]>>(groups: &[G], share: f64) -> Option<GroupedMean> {
    let values: Vec<f64> = groups.iter().flat_map(|group| group.as_ref()).copied().collect();
    let Trimmed { mean, .. } = trimmed_mean(&values, share)?;
    let (winsorized, kept_share) = winsorize(&values, share);
    let centre = winsorized.iter().sum::<f64>() / values.len() as f64;
    let mut rest = winsorized.as_slice();
    let mut squares = 0.0;
    for group in groups {
        let (own, others) = rest.split_at(group.as_ref().len());
        squares += own.iter().map(|value| (value - centre) / kept_share).sum::<f64>().powi(2);
        rest = others;
    }
    let count = groups.iter().filter(|group| !group.as_ref().is_empty()).count() as f64;
    let se = (squares * count / (count - 1.0)).sqrt() / values.len() as f64;
    let degrees_of_freedom = (count - 2.0 * (share * count).floor() - 1.0).max(1.0);
    Some(GroupedMean { mean, se: (count > 1.0).then_some(se), degrees_of_freedom })
}

/// The values, with the outermost `share` at each end moved to the nearest value that is kept, and the
/// share that is kept.
pub fn winsorize(values: &[f64], share: f64) -> (Vec<f64>, f64) {
    let sorted = sorted(values);
    let n = sorted.len();
    let cut = (share * n as f64).floor() as usize;
    if n <= 2 * cut {
        return (values.to_vec(), 1.0);
    }
    let (low, high) = (sorted[cut], sorted[n - 1 - cut]);
    let moved = values.iter().map(|value| value.clamp(low, high)).collect();
    (moved, 1.0 - 2.0 * cut as f64 / n as f64)
}

/// Arithmetic mean; `None` of nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Sample standard deviation (n - 1); `None` of fewer than two values.
pub fn deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Some((squares / (values.len() - 1) as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn spikes_are_cut() {
        let values = [1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 1.0, 1.02, 50.0, 0.98];
        let found = trimmed_mean(&values, 0.2).unwrap();
        assert!((found.mean - 1.0).abs() < 0.02, "{found:?}");
        assert!(found.se.unwrap() < 0.05);
        assert_eq!(found.kept, 6);
    }

    #[test]
    fn nothing_left_is_none() {
        assert_eq!(trimmed_mean(&[], 0.2), None);
        assert_eq!(trimmed_mean(&[1.0, 2.0], 0.5), None);
        assert_eq!(trimmed_mean(&[3.0], 0.2).unwrap().se, None);
        assert_eq!(deviation(&[1.0]), None);
    }

    #[test]
    fn values_of_one_group_count_together() {
        let apart: Vec<Vec<f64>> = (0..20).map(|i| vec![f64::from(i % 7) - 3.0]).collect();
        let found = trimmed_mean_of_groups(&apart, 0.2).unwrap();
        let all: Vec<f64> = apart.concat();
        let plain = trimmed_mean(&all, 0.2).unwrap();
        assert_eq!((found.mean, found.degrees_of_freedom), (plain.mean, 11.0));
        assert!((found.se.unwrap() - plain.se.unwrap()).abs() < 1e-12, "{found:?} {plain:?}");
        // Ten copies of each value tell no more than one.
        let copies: Vec<Vec<f64>> = apart.iter().map(|one| vec![one[0]; 10]).collect();
        let found = trimmed_mean_of_groups(&copies, 0.2).unwrap();
        assert!((found.se.unwrap() - plain.se.unwrap()).abs() < 1e-12, "{found:?} {plain:?}");
        assert_eq!(trimmed_mean_of_groups(&[all], 0.2).unwrap().se, None);
    }

    proptest! {
        #[test]
        fn the_mean_lies_within_the_values(
            values in proptest::collection::vec(-1e3f64..1e3, 1..40), share in 0.0f64..0.3
        ) {
            let found = trimmed_mean(&values, share).unwrap();
            let ends = sorted(&values);
            prop_assert!(found.mean >= ends[0] - 1e-9 && found.mean <= ends[ends.len() - 1] + 1e-9);
        }
    }
}
