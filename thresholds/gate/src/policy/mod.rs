//! Policies: which change of which metric matters, and what follows from it.
//!
//! A policy is a TOML text with complete `[defaults]` and any number of `[[override]]`s that
//! select by glob over scenario, side, metric and stack; of several that match, the later one
//! wins, setting by setting. Accepted regressions stand in a file of their own.

mod accepted;
mod check;
mod date;
mod select;
mod share;
mod text;

pub use accepted::{Accepted, What};
pub use check::Known;
pub use date::Date;
pub use select::Select;
pub use share::Share;
pub use text::PolicyError;

use serde::{Deserialize, Serialize};
use shakedown_protocol::{Metric, Scenario, Side};

/// What follows from a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// It stands in the table.
    Report,
    /// It stands in the headline, and the exit code stays 0.
    Warn,
    /// The exit code is not 0.
    Fail,
}

/// What follows from an inconclusive verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// Nothing.
    Pass,
    /// A warning.
    Warn,
    /// Exit code 5.
    Fail,
}

/// Which way a change must go to be a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Only for the worse.
    Worse,
    /// Either way: the metric shall stay what it is.
    Both,
}

/// Settings for one metric of one scenario side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Settings {
    /// A change up to this share is nobody's business.
    pub margin: f64,
    /// A pass says that a change for the worse of this share is excluded.
    pub bound: f64,
    /// Which way a change must go.
    pub direction: Direction,
    /// What follows from a regression.
    pub action: Action,
    /// What follows from an inconclusive verdict.
    pub inconclusive: Doubt,
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
    pub(crate) bound: Option<f64>,
    pub(crate) direction: Option<Direction>,
    pub(crate) action: Option<Action>,
    pub(crate) inconclusive: Option<Doubt>,
    pub(crate) missing: Option<Action>,
}

/// A validated policy.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// Name of the file, for people.
    pub file: String,
    /// How much may be spent.
    pub budget: Budget,
    /// Share of unchanged runs that may fail by chance, over all scenarios jointly.
    pub false_alarms: f64,
    pub(crate) defaults: Settings,
    pub(crate) overrides: Vec<Override>,
    /// Regressions that somebody accepted.
    pub accepted: Vec<Accepted>,
    /// Folder in the tree of each compared revision with the driver that measures it, in place of
    /// the project's own.
    pub own_driver: Option<String>,
}

impl Policy {
    /// The policy for pull requests that comes with the program: `thresholds/pr.toml`.
    ///
    /// # Errors
    /// Never, unless the shipped file is wrong, which a test excludes.
    pub fn shipped() -> Result<Self, PolicyError> {
        Self::parse(include_str!("../../../pr.toml"), "thresholds/pr.toml")
    }

    /// The settings for one metric of one scenario side of one stack.
    pub fn settings(
        &self,
        scenario: &Scenario,
        side: Side,
        metric: Metric,
        stack: &str,
    ) -> Settings {
        let mut found = self.defaults.clone();
        let id = scenario.to_string();
        for each in &self.overrides {
            if each.select.matches(&id, side, metric, stack) {
                each.set.apply(&mut found);
                found.lines.push(each.line);
            }
        }
        found
    }

    /// The acceptance that covers a finding, if there is one.
    pub fn accepted(
        &self,
        what: What,
        scenario: &Scenario,
        side: Side,
        metric: Metric,
        stack: &str,
    ) -> Option<&Accepted> {
        let id = scenario.to_string();
        self.accepted
            .iter()
            .find(|each| each.what == what && each.select.matches(&id, side, metric, stack))
    }
}

impl Partial {
    fn apply(&self, settings: &mut Settings) {
        settings.margin = self.margin.unwrap_or(settings.margin);
        settings.bound = self.bound.unwrap_or(settings.bound);
        settings.direction = self.direction.unwrap_or(settings.direction);
        settings.action = self.action.unwrap_or(settings.action);
        settings.inconclusive = self.inconclusive.unwrap_or(settings.inconclusive);
        settings.missing = self.missing.unwrap_or(settings.missing);
    }

    /// Which settings it has, by name.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        let all = [
            ("margin", self.margin.is_some()),
            ("bound", self.bound.is_some()),
            ("direction", self.direction.is_some()),
            ("action", self.action.is_some()),
            ("inconclusive", self.inconclusive.is_some()),
            ("missing", self.missing.is_some()),
        ];
        all.into_iter().filter(|(_, set)| *set).map(|(name, _)| name).collect()
    }
}

#[cfg(test)]
mod tests;
