//! Recovered regressions.

use super::{SuspectState, SuspectSummary};
use crate::SeriesInfo;

/// Whether the same series improved later by at least the regression, minus the uncertainty of its
/// interval.
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
