//! The rule for counts: exact repeats are gated tightly, the rest by separation.
//!
//! Every count is better when it is lower. Two runs a side show whether a count repeats
//! exactly; if both sides do, and are within the margin of each other, that is all. A count that
//! moves a little by chance may repeat twice on both sides and differ between them: whatever lies
//! beyond the margin, or does not repeat, is measured further, and only a head whose lowest run lies above the highest run of base regressed:
//! with eight runs a side chance does that once in 12,870, before the margin.

use super::{Verdict, wall::percent};
use serde::Serialize;
use shakedown_summary::stats::median;

/// What the rule for counts is set to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CountRule {
    /// Growth up to this share is tolerated.
    pub margin: f64,
    /// Growth up to this many units is tolerated on top: what chance alone may add, such as
    /// the length of an ECDSA signature on the wire.
    pub slack: f64,
    /// A pass of a count that does not repeat says that it did not grow by this share.
    pub bound: f64,
    /// Runs a side of a count that does not repeat exactly.
    pub runs: u32,
}

/// A decision with every number that led to it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CountDecision {
    /// The decision; [`Verdict::Inconclusive`] while it is open.
    pub verdict: Verdict,
    /// Whether further runs could decide it.
    pub open: bool,
    /// Whether each side repeated exactly.
    pub exact: bool,
    /// Runs of base, in order.
    pub base: Vec<f64>,
    /// Runs of head, in order.
    pub head: Vec<f64>,
    /// Head's median over base's, minus 1; `None` where base is zero.
    pub change: Option<f64>,
    /// Head's lowest over base's highest, minus 1.
    pub low: Option<f64>,
    /// Head's highest over base's lowest, minus 1.
    pub high: Option<f64>,
    /// Smallest growth that would have been called, as a share.
    pub smallest: Option<f64>,
    /// Why, in words.
    pub reason: String,
}

impl CountRule {
    /// Decides on the runs so far; `last` says that no further run will come.
    pub fn decide(&self, base: &[f64], head: &[f64], last: bool) -> CountDecision {
        let count = base.len().min(head.len());
        let (base_ends, head_ends) = (ends(base), ends(head));
        let exact = count >= 2 && base_ends.0 == base_ends.1 && head_ends.0 == head_ends.1;
        let full = count >= self.runs as usize;
        let mut decision = CountDecision {
            verdict: Verdict::Inconclusive,
            open: !full && !last,
            exact,
            change: ratio(median(head), median(base)),
            low: ratio(Some(head_ends.0), Some(base_ends.1)).filter(|_| count > 0),
            high: ratio(Some(head_ends.1), Some(base_ends.0)).filter(|_| count > 0),
            smallest: None,
            reason: format!("{count} runs a side so far"),
            base: base.to_vec(),
            head: head.to_vec(),
        };
        if count == 0 {
            return decision;
        }
        let allowed = base_ends.1 * self.margin + self.slack;
        let spread = (base_ends.1 - base_ends.0) + (head_ends.1 - head_ends.0);
        decision.smallest = Some((spread + allowed) / base_ends.1).filter(|s| s.is_finite());
        let grown = head_ends.0 - base_ends.1 > allowed;
        let shrunk = base_ends.0 - head_ends.1 > base_ends.0 * self.margin + self.slack;
        let within = head_ends.1 - base_ends.0 <= (base_ends.0 * self.bound).max(allowed);
        // Further runs only widen the ranges: ranges that are this near never part again.
        let settled = count >= 2 && within && !grown && (!shrunk || last);
        let moved = grown || shrunk;
        let (verdict, reason) = if full && grown {
            (Verdict::Regressed, self.beyond("more", exact, count))
        } else if full && shrunk {
            (Verdict::Improved, self.beyond("less", exact, count))
        } else if exact && !moved {
            let allowance = self.allowance();
            (Verdict::Pass, format!("exact in {count} runs a side, within {allowance}"))
        } else if settled {
            (Verdict::Pass, format!("not exact; growth by {} is excluded", percent(self.bound)))
        } else if full {
            let reason =
                format!("does not repeat: the runs of the two sides overlap after {count} a side");
            (Verdict::Inconclusive, reason)
        } else if decision.open {
            (Verdict::Inconclusive, format!("{count} runs a side so far"))
        } else {
            let what = if exact { "is beyond the margin" } else { "does not repeat exactly" };
            let reason = format!("{what} and has {count} of {} runs a side", self.runs);
            (Verdict::Inconclusive, reason)
        };
        decision.open &= verdict == Verdict::Inconclusive;
        decision.verdict = verdict;
        decision.reason = reason;
        decision
    }

    fn beyond(&self, way: &str, exact: bool, count: usize) -> String {
        let how = if exact { "exact" } else { "separated" };
        format!("{way} than {}, {how} in {count} runs a side", self.allowance())
    }

    fn allowance(&self) -> String {
        match self.slack {
            0.0 => format!("the margin of {}", percent(self.margin)),
            slack => format!("the margin of {} and {slack} for chance", percent(self.margin)),
        }
    }
}

/// Lowest and highest; infinite of nothing.
fn ends(values: &[f64]) -> (f64, f64) {
    values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (low.min(*value), high.max(*value))
    })
}

fn ratio(above: Option<f64>, below: Option<f64>) -> Option<f64> {
    match (above?, below?) {
        (above, below) if above == below => Some(0.0),
        (_, 0.0) => None,
        (above, below) => Some(above / below - 1.0).filter(|ratio| ratio.is_finite()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RULE: CountRule = CountRule { margin: 0.002, slack: 0.0, bound: 0.01, runs: 8 };

    fn verdict(base: &[f64], head: &[f64]) -> (Verdict, bool) {
        let found = RULE.decide(base, head, false);
        (found.verdict, found.open)
    }

    #[test]
    fn exact_repeats_pass_after_two_runs_and_are_gated_tightly_after_all() {
        assert_eq!(verdict(&[1000.0; 2], &[1000.0; 2]), (Verdict::Pass, false));
        assert_eq!(verdict(&[1000.0; 2], &[1002.0; 2]), (Verdict::Pass, false));
        assert_eq!(verdict(&[1000.0; 2], &[1003.0; 2]), (Verdict::Inconclusive, true));
        assert_eq!(verdict(&[1000.0; 8], &[1003.0; 8]), (Verdict::Regressed, false));
        assert_eq!(verdict(&[1000.0; 8], &[990.0; 8]), (Verdict::Improved, false));
        assert_eq!(verdict(&[1000.0; 1], &[1000.0; 1]), (Verdict::Inconclusive, true));
    }

    #[test]
    fn one_more_allocation_is_found() {
        let rule = CountRule { margin: 0.0, ..RULE };
        assert_eq!(rule.decide(&[60.0; 8], &[61.0; 8], false).verdict, Verdict::Regressed);
        assert_eq!(rule.decide(&[0.0; 8], &[1.0; 8], false).verdict, Verdict::Regressed);
        assert_eq!(rule.decide(&[0.0; 2], &[0.0; 2], false).verdict, Verdict::Pass);
    }

    #[test]
    fn what_does_not_repeat_is_extended() {
        let base = [1000.0, 1001.0, 1002.0, 1000.0, 1001.0, 1002.0, 1000.0, 1001.0];
        let head = base.map(|value| value + 1.0);
        assert_eq!(verdict(&base[..2], &[1005.0, 1006.0]), (Verdict::Inconclusive, true));
        assert_eq!(verdict(&base[..2], &[990.0, 991.0]), (Verdict::Inconclusive, true));
        assert_eq!(verdict(&base[..2], &[1000.0, 1030.0]), (Verdict::Inconclusive, true));
        assert_eq!(verdict(&base, &head), (Verdict::Pass, false));
        assert_eq!(verdict(&base, &base.map(|v| v + 5.0)), (Verdict::Regressed, false));
        assert_eq!(verdict(&base, &base.map(|v| v - 5.0)), (Verdict::Improved, false));
        let wide = base.map(|v| v + (v - 1000.0) * 30.0);
        assert_eq!(verdict(&base, &wide), (Verdict::Inconclusive, false));
    }

    /// Seen on a real library compared with itself: 3490 allocations twice, and 3491 twice.
    #[test]
    fn two_equal_runs_a_side_may_be_chance() {
        let rule = CountRule { margin: 0.0, ..RULE };
        let (base, head) = ([174.5; 2], [174.55; 2]);
        assert!(rule.decide(&base, &head, false).open);
        assert_eq!(rule.decide(&base, &head, true).verdict, Verdict::Inconclusive);
        let longer = [174.5, 174.5, 174.6];
        assert_eq!(rule.decide(&longer, &longer, false).verdict, Verdict::Pass);
    }

    #[test]
    fn ranges_that_overlap_need_no_more_runs() {
        assert_eq!(verdict(&[1000.0, 1001.0], &[1001.0, 1002.0]), (Verdict::Pass, false));
    }

    #[test]
    fn an_early_end_never_fails_what_does_not_repeat() {
        let found = RULE.decide(&[1000.0, 1001.0], &[1100.0, 1101.0], true);
        assert_eq!((found.verdict, found.open), (Verdict::Inconclusive, false));
        insta::assert_snapshot!(found.reason, @"does not repeat exactly and has 2 of 8 runs a side");
    }

    #[test]
    fn chance_on_the_wire_is_no_growth() {
        let rule = CountRule { margin: 0.0, slack: 4.0, bound: 0.005, runs: 8 };
        assert_eq!(rule.decide(&[1500.0; 2], &[1502.0; 2], false).verdict, Verdict::Pass);
        assert_eq!(rule.decide(&[1500.0; 8], &[1532.0; 8], false).verdict, Verdict::Regressed);
    }

    proptest! {
        #[test]
        fn no_numbers_make_it_panic(
            base in proptest::collection::vec(0.0f64..1e18, 0..10),
            head in proptest::collection::vec(0.0f64..1e18, 0..10), last: bool
        ) {
            let found = RULE.decide(&base, &head, last);
            prop_assert!(!(last && found.open));
        }

        #[test]
        fn equal_sides_never_fail(values in proptest::collection::vec(1.0f64..1e9, 1..10)) {
            let found = RULE.decide(&values, &values, true);
            prop_assert!(matches!(found.verdict, Verdict::Pass | Verdict::Inconclusive));
        }
    }
}
