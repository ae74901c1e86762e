//! What a policy sets, and where.

use super::select::Select;
use serde::{Deserialize, Serialize};

/// What follows from a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// It is in the report.
    Report,
    /// It is in the headline, and the command succeeds.
    Warn,
    /// The command fails with exit code 1.
    Fail,
}

/// What follows from an inconclusive verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InconclusiveAction {
    /// Nothing.
    Pass,
    /// A warning.
    Warn,
    /// The command fails with exit code 5.
    Fail,
}

/// Which way a change must go to be a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Only for the worse.
    Worse,
    /// Either way: the metric must not change.
    Both,
}

/// Settings for one metric of one scenario side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// A change up to this share is tolerated.
    pub margin: f64,
    /// A pass says that a change for the worse of this share is excluded.
    pub non_inferiority_margin: f64,
    /// Which way a change must go.
    pub direction: Direction,
    /// What follows from a regression.
    pub action: Action,
    /// What follows from an inconclusive verdict.
    pub inconclusive: InconclusiveAction,
    /// What follows when head lacks what base has.
    pub missing: Action,
    /// Lines of the policy that set something, in the order in which they did.
    pub lines: Vec<usize>,
}

/// How much may be spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Budget {
    /// Blocks of relinked builds at most.
    pub blocks: u32,
    /// Interleaved pairs in a block.
    pub pairs: u32,
    /// Runs a side of a count that does not repeat exactly.
    pub count_runs: u32,
    /// Minutes of measuring.
    pub minutes: u32,
}

/// An override: where it matches, what it sets.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Override {
    pub(crate) line: usize,
    pub(crate) select: Select,
    pub(crate) set: Partial,
}

/// Settings that may be absent.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Partial {
    pub(crate) margin: Option<f64>,
    pub(crate) non_inferiority_margin: Option<f64>,
    pub(crate) direction: Option<Direction>,
    pub(crate) action: Option<Action>,
    pub(crate) inconclusive: Option<InconclusiveAction>,
    pub(crate) missing: Option<Action>,
}

impl Partial {
    pub(super) fn apply(&self, settings: &mut Settings) {
        settings.margin = self.margin.unwrap_or(settings.margin);
        settings.non_inferiority_margin =
            self.non_inferiority_margin.unwrap_or(settings.non_inferiority_margin);
        settings.direction = self.direction.unwrap_or(settings.direction);
        settings.action = self.action.unwrap_or(settings.action);
        settings.inconclusive = self.inconclusive.unwrap_or(settings.inconclusive);
        settings.missing = self.missing.unwrap_or(settings.missing);
    }

    /// Which settings it has, by name.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        let all = [
            ("margin", self.margin.is_some()),
            ("non-inferiority-margin", self.non_inferiority_margin.is_some()),
            ("direction", self.direction.is_some()),
            ("action", self.action.is_some()),
            ("inconclusive", self.inconclusive.is_some()),
            ("missing", self.missing.is_some()),
        ];
        all.into_iter().filter(|(_, set)| *set).map(|(name, _)| name).collect()
    }
}
