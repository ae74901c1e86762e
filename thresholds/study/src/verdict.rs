//! The verdict on a claim.

use crate::AcceptedRange;
use serde::{Deserialize, Serialize};
use shakedown_summary::stats::Interval;
use std::fmt;

/// What a measurement says about a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimVerdict {
    /// The whole interval agrees with the claim.
    Confirmed,
    /// Nothing of the interval agrees with the claim.
    Refuted,
    /// The interval is too wide, or covers too little.
    Undecided,
    /// This host, or this catalog, can't measure it.
    NotMeasurable,
}

impl ClaimVerdict {
    /// As people read it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Refuted => "refuted",
            Self::Undecided => "undecided",
            Self::NotMeasurable => "not measurable here",
        }
    }

    /// The verdict of an interval that must cover the true median with this probability.
    pub(crate) fn of(interval: &Interval, confidence: f64, accepted: &AcceptedRange) -> Self {
        if interval.coverage < confidence {
            Self::Undecided
        } else if accepted.holds(interval.low, interval.high) {
            Self::Confirmed
        } else if accepted.excludes(interval.low, interval.high) {
            Self::Refuted
        } else {
            Self::Undecided
        }
    }

    /// The verdict of a claim with several rows: one refuted row refutes it, and only all rows
    /// together confirm it.
    pub(crate) fn of_rows(rows: &[Self]) -> Self {
        let all = |verdict| rows.iter().all(|row| *row == verdict);
        if rows.contains(&Self::Refuted) {
            Self::Refuted
        } else if rows.is_empty() || all(Self::NotMeasurable) {
            Self::NotMeasurable
        } else if all(Self::Confirmed) {
            Self::Confirmed
        } else {
            Self::Undecided
        }
    }
}

impl fmt::Display for ClaimVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Decision;
    use proptest::prelude::*;

    const CONFIDENCE: f64 = 0.95;

    fn interval(low: f64, high: f64, coverage: f64) -> Interval {
        Interval { median: f64::midpoint(low, high), low, high, coverage }
    }

    fn verdict(ends: [f64; 2], accepted: [f64; 2]) -> ClaimVerdict {
        let [low, high] = ends;
        let accepted = Decision::Between(accepted).range(None).unwrap();
        ClaimVerdict::of(&interval(low, high, CONFIDENCE), CONFIDENCE, &accepted)
    }

    /// Two numbers in order, apart from each other.
    fn ends() -> impl Strategy<Value = [f64; 2]> {
        (0.1f64..10.0, 0.001f64..5.0).prop_map(|(low, width)| [low, low + width])
    }

    proptest! {
        #[test]
        fn inside_is_confirmed_outside_refuted_and_across_undecided(
            measured in ends(), accepted in ends()
        ) {
            let inside = accepted[0] <= measured[0] && measured[1] <= accepted[1];
            let outside = measured[1] < accepted[0] || accepted[1] < measured[0];
            let expected = match (inside, outside) {
                (true, _) => ClaimVerdict::Confirmed,
                (_, true) => ClaimVerdict::Refuted,
                _ => ClaimVerdict::Undecided,
            };
            prop_assert_eq!(verdict(measured, accepted), expected);
        }

        #[test]
        fn a_narrower_interval_never_turns_a_verdict_round(
            measured in ends(), accepted in ends(), from in 0.0f64..0.5, to in 0.5f64..1.0
        ) {
            let wide = verdict(measured, accepted);
            let width = measured[1] - measured[0];
            let narrow = [measured[0] + from * width, measured[0] + to * width];
            let narrow = verdict(narrow, accepted);
            prop_assert!(wide == narrow || wide == ClaimVerdict::Undecided, "{} {}", wide, narrow);
        }

        #[test]
        fn the_other_way_round_the_verdict_is_the_same(measured in ends(), accepted in ends()) {
            let turned = |[low, high]: [f64; 2]| [high.recip(), low.recip()];
            prop_assert_eq!(
                verdict(measured, accepted),
                verdict(turned(measured), turned(accepted))
            );
        }

        #[test]
        fn what_covers_too_little_decides_nothing(
            measured in ends(), accepted in ends(), coverage in 0.0f64..0.9499
        ) {
            let accepted = Decision::Between(accepted).range(None).unwrap();
            let interval = interval(measured[0], measured[1], coverage);
            prop_assert_eq!(
                ClaimVerdict::of(&interval, CONFIDENCE, &accepted),
                ClaimVerdict::Undecided
            );
        }

        #[test]
        fn within_a_share_holds_the_published_number(
            published in 0.001f64..1e9, share in 0.001f64..2.0
        ) {
            let range = Decision::Within(share).range(Some(published)).unwrap();
            prop_assert!(range.holds(published, published));
            let (low, high) = (range.low.unwrap(), range.high.unwrap());
            prop_assert!((low * high / published / published - 1.0).abs() < 1e-9);
        }

        #[test]
        fn a_claim_is_as_strong_as_its_rows(
            rows in proptest::collection::vec(
                prop_oneof![
                    Just(ClaimVerdict::Confirmed),
                    Just(ClaimVerdict::Refuted),
                    Just(ClaimVerdict::Undecided),
                    Just(ClaimVerdict::NotMeasurable),
                ],
                1..6,
            )
        ) {
            let whole = ClaimVerdict::of_rows(&rows);
            prop_assert_eq!(whole == ClaimVerdict::Refuted, rows.contains(&ClaimVerdict::Refuted));
            let all = |verdict| rows.iter().all(|row| *row == verdict);
            prop_assert_eq!(whole == ClaimVerdict::Confirmed, all(ClaimVerdict::Confirmed));
            prop_assert_eq!(whole == ClaimVerdict::NotMeasurable, all(ClaimVerdict::NotMeasurable));
        }
    }

    #[test]
    fn ends_that_are_open_or_empty() {
        let above = Decision::Above(1.0).range(None).unwrap();
        assert!(above.holds(1.0, 1e12) && above.excludes(0.1, 0.99) && !above.holds(0.9, 2.0));
        let below = Decision::Below(1.0).range(None).unwrap();
        assert!(below.holds(-1e12, 1.0) && below.excludes(1.01, 2.0));
        assert_eq!(Decision::Between([2.0, 1.0]).range(None), None);
        assert_eq!(Decision::Within(0.1).range(None), None);
        assert_eq!(Decision::Within(0.0).range(Some(1.0)), None);
        assert_eq!(Decision::Above(f64::NAN).range(None), None);
        assert_eq!(ClaimVerdict::of_rows(&[]), ClaimVerdict::NotMeasurable);
    }
}
