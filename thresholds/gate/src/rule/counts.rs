//! The rule for counts: exact repeats are gated tightly, the rest by separation.
//!
//! Every count is better when it is lower. One run a side suffices where the two are the same: the count
//! repeats, and nothing changed. Else two runs a side show whether a count repeats exactly.
//! If both sides do, and they are within the margin of each other, that decides. A count that moves
//! a little by chance may repeat twice on both sides and differ between them. Whatever lies beyond
//! the margin or does not repeat is therefore measured further, and only a head whose lowest run
//! lies above the highest run of base regressed. With eight runs a side, chance alone does that once
//! in 12,870, before the margin.

use super::{ChangeDirection, Reason, Verdict};
use serde::{Deserialize, Serialize};
use shakedown_summary::stats::median;

/// The settings of the rule for counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CountRule {
    /// Growth up to this share is tolerated.
    pub margin: f64,
    /// Growth up to this many units is tolerated on top: what chance alone may add, such as
    /// the length of an ECDSA signature on the wire.
    pub allowance: f64,
    /// A pass of a count that does not repeat says that it did not grow by this share.
    pub non_inferiority_margin: f64,
    /// Runs a side of a count that does not repeat exactly.
    pub runs: u32,
}

/// A decision with every number that led to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CountDecision {
    /// The decision; [`Verdict::Inconclusive`] while it is open.
    pub verdict: Verdict,
    /// Whether further runs could decide it.
    pub open: bool,
    /// Whether each side repeated exactly, or the only runs of both are the same.
    pub exact: bool,
    /// Runs of base, in order.
    pub base: Vec<f64>,
    /// Runs of head, in order.
    pub head: Vec<f64>,
    /// Units that chance alone may add, beyond the margin.
    pub allowance: f64,
    /// Head's median over base's, minus 1; `None` where base is zero.
    pub change: Option<f64>,
    /// Head's lowest over base's highest, minus 1.
    pub low: Option<f64>,
    /// Head's highest over base's lowest, minus 1.
    pub high: Option<f64>,
    /// The smallest growth that would have been called a regression, as a share.
    pub minimum_detectable_effect: Option<f64>,
    /// Why.
    pub reason: Reason,
}

impl CountDecision {
    /// Whether every run of head lies above every run of base by more than `margin`.
    pub fn is_worse_by(&self, margin: f64) -> bool {
        let highest_base = range(&self.base).1;
        range(&self.head).0 - highest_base > highest_base * margin + self.allowance
    }

    /// Whether every run of head lies below every run of base by more than `margin`.
    fn is_better_by(&self, margin: f64) -> bool {
        let lowest_base = range(&self.base).0;
        lowest_base - range(&self.head).1 > lowest_base * margin + self.allowance
    }
}

impl CountRule {
    /// Decides on the runs so far; `last` says that no further run will come.
    pub fn decide(&self, base: &[f64], head: &[f64], last: bool) -> CountDecision {
        let count = base.len().min(head.len());
        let (base_range, head_range) = (range(base), range(head));
        let repeated = base_range.0 == base_range.1 && head_range.0 == head_range.1;
        let exact = repeated && (count >= 2 || (count == 1 && base_range == head_range));
        let full = count >= self.runs as usize;
        let mut decision = CountDecision {
            verdict: Verdict::Inconclusive,
            open: !full && !last,
            exact,
            allowance: self.allowance,
            change: ratio(median(head), median(base)),
            low: ratio(Some(head_range.0), Some(base_range.1)).filter(|_| count > 0),
            high: ratio(Some(head_range.1), Some(base_range.0)).filter(|_| count > 0),
            minimum_detectable_effect: None,
            reason: Reason::RunsSoFar { runs: count },
            base: base.to_vec(),
            head: head.to_vec(),
        };
        if count == 0 {
            return decision;
        }
        let allowed = base_range.1 * self.margin + self.allowance;
        let spread = (base_range.1 - base_range.0) + (head_range.1 - head_range.0);
        decision.minimum_detectable_effect =
            Some((spread + allowed) / base_range.1).filter(|s| s.is_finite());
        let (verdict, reason) = self.conclude(&decision, count, last);
        decision.open &= verdict == Verdict::Inconclusive;
        decision.verdict = verdict;
        decision.reason = reason;
        decision
    }

    fn conclude(&self, decision: &CountDecision, count: usize, last: bool) -> (Verdict, Reason) {
        let &Self { margin, allowance, non_inferiority_margin, runs: required } = self;
        let exact = decision.exact;
        let full = count >= required as usize;
        let (base, head) = (range(&decision.base), range(&decision.head));
        let (grown, shrunk) = (decision.is_worse_by(margin), decision.is_better_by(margin));
        let allowed = base.1 * margin + allowance;
        let within = head.1 - base.0 <= (base.0 * non_inferiority_margin).max(allowed);
        // Further runs only widen the ranges: ranges that are this near never part again.
        let settled = count >= 2 && within && !grown && (!shrunk || last);
        let changed =
            |change| Reason::CountChanged { change, margin, allowance, exact, runs: count };
        if full && grown {
            (Verdict::Regressed, changed(ChangeDirection::Worse))
        } else if full && shrunk {
            (Verdict::Improved, changed(ChangeDirection::Better))
        } else if exact && !grown && !shrunk {
            (Verdict::Pass, Reason::CountWithinMargin { margin, allowance, runs: count })
        } else if settled {
            (Verdict::Pass, Reason::CountNotInferior { non_inferiority_margin })
        } else if full {
            (Verdict::Inconclusive, Reason::CountsOverlap { runs: count })
        } else if decision.open {
            (Verdict::Inconclusive, Reason::RunsSoFar { runs: count })
        } else {
            (Verdict::Inconclusive, Reason::TooFewRuns { exact, runs: count, required })
        }
    }
}

/// Lowest and highest; infinite of nothing.
fn range(values: &[f64]) -> (f64, f64) {
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
mod tests;
