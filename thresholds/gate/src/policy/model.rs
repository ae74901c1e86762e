//! A policy, ready to be asked.

use super::{
    accepted::{Accepted, AcceptedKind},
    settings::{Budget, Override, Settings},
};
use shakedown_protocol::{Metric, Scenario, Side};

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
        kind: AcceptedKind,
        scenario: &Scenario,
        side: Side,
        metric: Metric,
        stack: &str,
    ) -> Option<&Accepted> {
        let id = scenario.to_string();
        self.accepted
            .iter()
            .find(|each| each.kind == kind && each.select.matches(&id, side, metric, stack))
    }
}
