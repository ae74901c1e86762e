//! What follows from a verdict, by the policy and by what somebody accepted.

use crate::{
    policy::{Action, Direction, InconclusiveAction, Settings},
    rule::Verdict,
};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What follows from a verdict, the least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Consequence {
    /// Nothing.
    None,
    /// It is reported.
    Report,
    /// It stands in the headline.
    Warn,
    /// The command fails because something is inconclusive.
    FailInconclusive,
    /// The command fails because something got worse.
    Fail,
}

impl fmt::Display for Consequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::None => "none",
            Self::Report => "report",
            Self::Warn => "warn",
            Self::FailInconclusive => "fail-inconclusive",
            Self::Fail => "fail",
        })
    }
}

impl Consequence {
    /// What follows from the verdict on one comparison.
    pub(super) fn of(verdict: Verdict, accepted: bool, settings: &Settings) -> Self {
        let by = |action: Action| match action {
            Action::Report => Self::Report,
            Action::Warn => Self::Warn,
            Action::Fail => Self::Fail,
        };
        match verdict {
            _ if accepted => Self::Report,
            Verdict::Pass => Self::None,
            Verdict::Regressed | Verdict::Broken => by(settings.action),
            Verdict::Improved if settings.direction == Direction::Both => by(settings.action),
            Verdict::Improved => Self::Report,
            // A metric that can't fail can't fail by its absence.
            Verdict::Missing => by(settings.missing.min(settings.action)),
            Verdict::Inconclusive => match settings.inconclusive {
                _ if settings.action == Action::Report => Self::None,
                InconclusiveAction::Pass => Self::None,
                InconclusiveAction::Warn => Self::Warn,
                InconclusiveAction::Fail => Self::FailInconclusive,
            },
        }
    }
}
