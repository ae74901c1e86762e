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
    let (low, high) = (kept[0], kept[kept.len() - 1]);
    let winsorized: Vec<f64> = values.iter().map(|value| value.clamp(low, high)).collect();
    let kept_share = 1.0 - 2.0 * cut as f64 / n as f64;
    let se = deviation(&winsorized).map(|sd| sd / (kept_share * (n as f64).sqrt()));
    Some(Trimmed { mean, se, kept: kept.len() })
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
