//! What follows from a verdict, by the policy and by what somebody accepted.

use super::{
    compare::{Comparison, Detail, count_rule, decide, points},
    input::Input,
    pairs::units,
};
use crate::{
    policy::{Accepted, Action, Direction, Doubt, What},
    rule::{Verdict, percent},
};
use serde::Serialize;
use shakedown_summary::series::Key;
use std::fmt;

/// What follows from one comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Consequence {
    /// Nothing.
    None,
    /// It is told.
    Report,
    /// It stands in the headline.
    Warn,
    /// Exit code 5.
    Doubt,
    /// Exit code 1.
    Fail,
}

impl fmt::Display for Consequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "none",
            Self::Report => "report",
            Self::Warn => "warn",
            Self::Doubt => "doubt",
            Self::Fail => "fail",
        })
    }
}

/// The acceptance that covers a regression of this size or an absence. A regression beyond
/// the accepted size is none, and the reason says so.
pub(super) fn acceptance(input: &Input<'_>, key: Key, found: &mut Comparison) -> Option<Accepted> {
    let what = match found.verdict {
        Verdict::Regressed => What::Regressed,
        Verdict::Missing => What::Missing,
        _ => return None,
    };
    let stack = &input.head.asked.stack;
    let entry = input.policy.accepted(what, &key.scenario, key.side, key.metric, stack)?;
    let margin = (1.0 + entry.size) * (1.0 + found.settings.margin) - 1.0;
    let base = points(input, &input.base.name, key);
    let head = points(input, &input.head.name, key);
    let beyond = match &found.detail {
        Detail::Nothing => false,
        Detail::Counts(seen) => {
            let rule = count_rule(input, &key, &found.settings, margin);
            rule.decide(&seen.base, &seen.head, true).verdict == Verdict::Regressed
        }
        Detail::Wall(_) => {
            let units = units(input.record, &key, base, head, input.policy.budget.pairs);
            let again = decide(input, key, &units, &found.settings, margin);
            again.verdict == Verdict::Regressed
        }
    };
    if beyond {
        let size = percent(entry.size);
        found.reason = format!(
            "{}; grown beyond the {size} accepted in {}:{}",
            found.reason, entry.file, entry.line
        );
        return None;
    }
    Some(entry.clone())
}

pub(super) fn consequence(found: &Comparison) -> Consequence {
    let by = |action: Action| match action {
        Action::Report => Consequence::Report,
        Action::Warn => Consequence::Warn,
        Action::Fail => Consequence::Fail,
    };
    let settings = &found.settings;
    match found.verdict {
        _ if found.accepted.is_some() => Consequence::Report,
        Verdict::Pass => Consequence::None,
        Verdict::Regressed | Verdict::Broken => by(settings.action),
        Verdict::Improved if settings.direction == Direction::Both => by(settings.action),
        Verdict::Improved => Consequence::Report,
        // A metric that can't fail can't fail by its absence.
        Verdict::Missing => by(settings.missing.min(settings.action)),
        Verdict::Inconclusive => match settings.inconclusive {
            _ if settings.action == Action::Report => Consequence::None,
            Doubt::Pass => Consequence::None,
            Doubt::Warn => Consequence::Warn,
            Doubt::Fail => Consequence::Doubt,
        },
    }
}
