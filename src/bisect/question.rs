//! Which number is followed, and which numbers the revisions have.

use super::record::{BisectQuestion, BisectRequest, RevisionResult};
use crate::session::comparison::MeasuredComparison;
use shakedown_gate::{Comparison, Detail, Verdict};
use shakedown_protocol::Metric;
use shakedown_report::{number, signed_percent};

/// Order in which changed counts are followed: what explains most of a time first.
const COUNTS: [Metric; 7] = [
    Metric::Instructions,
    Metric::Allocations,
    Metric::AllocatedBytes,
    Metric::WireBytes,
    Metric::Records,
    Metric::Flights,
    Metric::PeakHeap,
];

impl BisectRequest {
    /// The comparisons that the request is about.
    fn asked<'a>(&self, compared: &'a MeasuredComparison) -> Vec<&'a Comparison> {
        let asked = |one: &&Comparison| {
            self.side.is_none_or(|side| side == one.side)
                && self.metric.is_none_or(|metric| metric == one.metric)
        };
        compared.judgement.comparisons.iter().filter(asked).collect()
    }

    /// The number to follow: of those that differ between the ends, the first in the order above, and
    /// of the sides the one that changed more.
    pub(super) fn question(&self, compared: &MeasuredComparison) -> Option<BisectQuestion> {
        let differs =
            |one: &&Comparison| matches!(one.verdict, Verdict::Regressed | Verdict::Improved);
        let place = |one: &Comparison| COUNTS.iter().position(|metric| *metric == one.metric);
        let size = |one: &Comparison| one.change.unwrap_or_default().abs();
        let mut found: Vec<&Comparison> =
            self.asked(compared).into_iter().filter(differs).collect();
        found.sort_by(|a, b| {
            let places = place(a).unwrap_or(COUNTS.len()).cmp(&place(b).unwrap_or(COUNTS.len()));
            places.then(size(b).total_cmp(&size(a)))
        });
        let one = found.first()?;
        let (least, unit) = match &one.detail {
            Detail::Counts(counts) => {
                let good = one.base.unwrap_or_default();
                let spread = spread(&counts.base) + spread(&counts.head);
                let margin = good * self.least.unwrap_or(one.settings.margin) + counts.allowance;
                (margin.max(spread), Some(one.unit))
            }
            // Half of the whole change: so either interval excludes what the other one means.
            Detail::Time(_) => (self.least.unwrap_or(size(one) / 2.0), None),
            Detail::Nothing => return None,
        };
        Some(BisectQuestion { side: one.side, metric: one.metric, unit, least })
    }

    /// What the ends have, for people who wonder why nothing is searched.
    pub(super) fn numbers(&self, compared: &MeasuredComparison) -> Vec<String> {
        let line = |one: &&Comparison| {
            let shown = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), number);
            format!(
                "{} {}: {} against {} {}, {} ({})",
                one.side,
                one.metric,
                shown(one.base),
                shown(one.head),
                one.unit,
                one.change.map_or_else(|| "no change known".to_owned(), signed_percent),
                one.verdict
            )
        };
        self.asked(compared).iter().map(line).collect()
    }
}

impl BisectQuestion {
    /// The comparison of this number.
    pub(super) fn of<'a>(&self, compared: &'a MeasuredComparison) -> Option<&'a Comparison> {
        let is = |one: &&Comparison| (one.side, one.metric) == (self.side, self.metric);
        compared.judgement.comparisons.iter().find(is)
    }

    /// The number of the base.
    pub(super) fn base(&self, compared: &MeasuredComparison) -> RevisionResult {
        self.result(compared, |one| match &one.detail {
            Detail::Counts(counts) => Some((range(&counts.base, one.base?), counts.base.len())),
            _ => Some(([1.0; 3], one.base_trials)),
        })
    }

    /// The number of the head.
    pub(super) fn head(&self, compared: &MeasuredComparison) -> RevisionResult {
        self.result(compared, |one| match &one.detail {
            Detail::Counts(counts) => Some((range(&counts.head, one.head?), counts.head.len())),
            _ => {
                let level = [one.change?, one.low?, one.high?].map(|share| 1.0 + share);
                Some((level, one.head_trials))
            }
        })
    }

    fn result(
        &self,
        compared: &MeasuredComparison,
        level: impl Fn(&Comparison) -> Option<([f64; 3], usize)>,
    ) -> RevisionResult {
        let one = self.of(compared);
        match one.and_then(level) {
            Some(([value, low, high], trials)) => {
                RevisionResult::Measured { value, low, high, trials }
            }
            None => {
                let verdict = one.map_or("missing", |one| one.verdict.name());
                RevisionResult::Skipped { why: format!("it does not run: {verdict}") }
            }
        }
    }
}

fn ends(values: &[f64]) -> (f64, f64) {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    (least, values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
}

/// How far apart the runs of a count are.
pub(super) fn spread(values: &[f64]) -> f64 {
    let (low, high) = ends(values);
    (high - low).max(0.0)
}

/// The value, the lowest and the highest one.
fn range(values: &[f64], value: f64) -> [f64; 3] {
    let (low, high) = ends(values);
    [value, low.min(value), high.max(value)]
}
