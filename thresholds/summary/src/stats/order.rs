//! The median and an interval for it that assumes nothing about the distribution.

use super::{CONFIDENCE, median, sorted};
use serde::Serialize;
use statrs::distribution::{Binomial, DiscreteCDF};

/// A median with an interval around it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Interval {
    /// The median.
    pub median: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Probability that such an interval covers the true median, whatever the distribution.
    /// Below what was aimed at, the ends are the smallest and the largest value.
    pub coverage: f64,
}

/// Median with the narrowest symmetric pair of order statistics that covers the true median
/// with at least 95 %, or with the range where no pair does (fewer than six values).
///
/// The k-th smallest and k-th largest of n values miss the median with probability
/// 2 P(B <= k - 1), B binomial with n tosses of a fair coin (the sign test turned round).
pub fn median_interval(values: &[f64]) -> Option<Interval> {
    median_interval_at(values, CONFIDENCE)
}

/// [`median_interval`] with another coverage to aim at.
pub fn median_interval_at(values: &[f64], confidence: f64) -> Option<Interval> {
    let median = median(values)?;
    let values = sorted(values);
    let n = values.len();
    let mut best = (0, coverage(n, 1));
    for k in 2..=n / 2 {
        let covered = coverage(n, k);
        if covered < confidence {
            break;
        }
        best = (k - 1, covered);
    }
    let (index, coverage) = best;
    Some(Interval { median, low: values[index], high: values[n - 1 - index], coverage })
}

/// Coverage of the interval from the k-th smallest to the k-th largest of n values.
fn coverage(n: usize, k: usize) -> f64 {
    // Up to here 2^-n is a normal number and the sum below exact to the last few bits, which
    // the incomplete beta function of the general distribution is not.
    const EXACT: usize = 1000;
    let outside = if n <= EXACT {
        let mut term = 0.5f64.powi(n as i32);
        let mut sum = term;
        for i in 1..k {
            term *= (n - i + 1) as f64 / i as f64;
            sum += term;
        }
        sum
    } else {
        Binomial::new(0.5, n as u64).map_or(0.5, |binomial| binomial.cdf(k as u64 - 1))
    };
    (1.0 - 2.0 * outside).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use shakedown_protocol::fixture::Noisy;

    #[test]
    fn few_values_give_their_range_and_say_what_it_covers() {
        let one = median_interval(&[7.0]).unwrap();
        assert_eq!((one.low, one.median, one.high, one.coverage), (7.0, 7.0, 7.0, 0.0));
        let five = median_interval(&[5.0, 1.0, 4.0, 2.0, 3.0]).unwrap();
        assert_eq!((five.low, five.median, five.high), (1.0, 3.0, 5.0));
        assert!((five.coverage - 0.9375).abs() < 1e-12);
        assert_eq!(median_interval(&[]), None);
    }

    #[test]
    fn known_ranks() {
        // Tables of the sign test: n = 6 uses ranks 1 and 6, n = 9 ranks 2 and 8,
        // n = 30 ranks 10 and 21.
        for (n, low, high) in [(6, 1.0, 6.0), (9, 2.0, 8.0), (30, 10.0, 21.0)] {
            let values: Vec<f64> = (1..=n).map(f64::from).collect();
            let found = median_interval(&values).unwrap();
            assert_eq!((found.low, found.high), (low, high), "n = {n}");
            assert!(found.coverage >= CONFIDENCE);
        }
    }

    #[test]
    fn more_coverage_takes_wider_ends_or_more_values() {
        let values: Vec<f64> = (1..=30).map(f64::from).collect();
        let wider = median_interval_at(&values, 0.99).unwrap();
        assert_eq!((wider.low, wider.high), (8.0, 23.0));
        assert!(wider.coverage >= 0.99, "{wider:?}");
        assert!(median_interval_at(&values[..7], 0.99).unwrap().coverage < 0.99);
    }

    /// Of values around a known median, few or many, skewed as times are.
    #[test]
    fn the_interval_covers_the_true_median_as_often_as_it_says() {
        let mut draws = Noisy(5);
        for n in 2..=15 {
            let runs = 4000;
            let mut said = 0.0;
            let covered = (0..runs)
                .filter(|_| {
                    let values: Vec<f64> = (0..n).map(|_| draws.draw().exp()).collect();
                    let found = median_interval(&values).unwrap();
                    said = found.coverage;
                    found.low <= 1.0 && 1.0 <= found.high
                })
                .count();
            let share = covered as f64 / f64::from(runs);
            let error = (said * (1.0 - said) / f64::from(runs)).sqrt();
            assert!((share - said).abs() < 4.0 * error, "n = {n}: {share} instead of {said}");
        }
    }

    proptest! {
        #[test]
        fn the_interval_holds_the_median(values in proptest::collection::vec(-1e9f64..1e9, 1..80)) {
            let found = median_interval(&values).unwrap();
            prop_assert!(found.low <= found.median && found.median <= found.high);
            prop_assert!(found.coverage >= CONFIDENCE || values.len() < 6);
        }

        #[test]
        fn the_order_of_the_values_does_not_matter(
            values in proptest::collection::vec(-1e9f64..1e9, 1..40)
        ) {
            let mut turned = values.clone();
            turned.reverse();
            prop_assert_eq!(median_interval(&values), median_interval(&turned));
        }
    }
}
