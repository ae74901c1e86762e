//! Changes that were undone.

use super::{SuspectState, SuspectSummary};
use crate::SeriesInfo;

/// Whether the same series got better later, by at least as much as it had got worse, less
/// what the interval leaves open.
pub fn came_back(worse: &SuspectSummary, all: &[SuspectSummary]) -> bool {
    let same = |a: &SeriesInfo, b: &SeriesInfo| {
        (&a.subject, &a.scenario, &a.side, &a.metric)
            == (&b.subject, &b.scenario, &b.side, &b.metric)
    };
    all.iter().any(|one| {
        let later = one.first_bad.started_ms > worse.first_bad.started_ms;
        // Both factors are values after over before: a full recovery makes their product 1.
        let left = (one.change.factor * worse.change.factor).ln().abs();
        !one.worse
            && one.state != SuspectState::Dismissed
            && later
            && one.epoch == worse.epoch
            && same(&one.series, &worse.series)
            && left < worse.change.factor.ln().abs() / 2.0
    })
}
