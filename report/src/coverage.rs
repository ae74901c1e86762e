//! What the intervals of a report cover.

use crate::format::{decimal_percent, interval};
use shakedown_summary::Summary;

/// The coverage that most intervals of a report have. It is said once; an interval of another number
/// of trials has another coverage, and says so itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct UsualCoverage(Option<f64>);

impl UsualCoverage {
    /// Of all intervals for numbers, factors and slopes.
    pub fn of(summary: &Summary) -> Self {
        let rows = summary.rows.iter().map(|row| row.coverage);
        let factors = summary.factors.iter().map(|factor| factor.coverage);
        let families = summary.families.iter().map(|family| Some(family.coverage));
        let slopes = summary.memory.iter().map(|slope| slope.coverage);
        Self::most(
            rows.chain(factors)
                .chain(families)
                .chain(slopes)
                .flatten()
                .filter(|share| *share > 0.0),
        )
    }

    fn most(shares: impl Iterator<Item = f64>) -> Self {
        let mut counted: Vec<(f64, usize)> = Vec::new();
        for share in shares {
            match counted.iter_mut().find(|(known, _)| *known == share) {
                Some((_, count)) => *count += 1,
                None => counted.push((share, 1)),
            }
        }
        Self(counted.into_iter().rev().max_by_key(|(_, count)| *count).map(|(share, _)| share))
    }

    /// An interval with its coverage where that is not the usual one. A single value has none.
    pub fn interval(
        self,
        ends: (Option<f64>, Option<f64>),
        coverage: Option<f64>,
        show: impl Fn(f64) -> String,
    ) -> String {
        let (Some(low), Some(high)) = ends else { return String::new() };
        match coverage {
            Some(share) if share <= 0.0 => String::new(),
            Some(share) if self.0.is_some_and(|usual| usual != share) => {
                format!("{}, {}", interval(low, high, show), decimal_percent(share, 1))
            }
            _ => interval(low, high, show),
        }
    }

    /// The same in a sentence; empty where nothing has an interval.
    pub fn sentence(self) -> String {
        self.0.map_or_else(String::new, |share| {
            format!(
                "An interval [low to high] covers the true median with {} probability unless it says otherwise; a single \
                 process has no interval.",
                decimal_percent(share, 1)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::number;

    #[test]
    fn an_interval_says_what_it_covers_where_that_is_unusual() {
        let usual = UsualCoverage::most([0.96875, 0.75, 0.96875].into_iter());
        let shown = |coverage| usual.interval((Some(1.0), Some(2.0)), Some(coverage), number);
        assert_eq!(shown(0.96875), "1.000 to 2.000");
        assert_eq!(shown(0.75), "1.000 to 2.000, 75.0 %");
        assert_eq!(shown(0.0), "", "one value has no interval");
        assert!(usual.sentence().contains("with 96.9 % probability"), "{}", usual.sentence());
        assert_eq!(UsualCoverage::most([].into_iter()).sentence(), "");
    }
}
