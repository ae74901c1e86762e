//! Whether an accepted regression covers what was found.

use super::{comparison::Detail, input::Input};
use crate::{
    policy::{Accepted, AcceptedKind, Settings},
    rule::Verdict,
};
use shakedown_summary::series::Key;

/// The entry about a regression or an absence.
pub(super) enum Acceptance {
    /// It covers what was found.
    Covers(Accepted),
    /// It is about a smaller regression.
    Exceeded(Accepted),
}

/// The entry of the policy about what was found, if there is one.
pub(super) fn acceptance(
    input: &Input<'_>,
    key: &Key,
    verdict: Verdict,
    settings: &Settings,
    detail: &Detail,
) -> Option<Acceptance> {
    let kind = match verdict {
        Verdict::Regressed => AcceptedKind::Regressed,
        Verdict::Missing => AcceptedKind::Missing,
        _ => return None,
    };
    let stack = &input.head.asked.stack;
    let entry = input.policy.accepted(kind, &key.scenario, key.side, key.metric, stack)?.clone();
    // The margin holds beyond the accepted size as well.
    let margin = (1.0 + entry.size) * (1.0 + settings.margin) - 1.0;
    let exceeded = match detail {
        Detail::Nothing => false,
        Detail::Counts(counts) => counts.is_worse_by(margin),
        Detail::Time(time) => time.is_worse_by(margin),
    };
    Some(if exceeded { Acceptance::Exceeded(entry) } else { Acceptance::Covers(entry) })
}
