//! Base against head in one metric of one scenario side.

use super::consequence::Consequence;
use crate::{
    policy::{Accepted, Settings},
    rule::{CountDecision, Reason, TimeDecision, Verdict},
};
use serde::{Deserialize, Serialize};
use shakedown_protocol::{Better, Flaw, Metric, Scenario, Side, Unit};
use shakedown_summary::FailedTrials;
use std::collections::BTreeSet;

/// The numbers behind a verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
pub enum Detail {
    /// Of the rule for times.
    Time(TimeDecision),
    /// Of the rule for counts.
    Counts(CountDecision),
    /// There are no numbers.
    Nothing,
}

/// Disturbed blocks of a comparison that could not be decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disturbance {
    /// Blocks that the host disturbed.
    pub disturbed: usize,
    /// All complete blocks.
    pub blocks: usize,
    /// What the host did.
    pub flaws: BTreeSet<Flaw>,
}

/// What a reader of a comparison must know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ComparisonWarning {
    /// Pairs that the host disturbed are excluded.
    ExcludedPairs {
        /// How many.
        pairs: usize,
    },
    /// Trials have no partner in their block.
    UnpairedTrials {
        /// How many.
        trials: usize,
    },
    /// Pairs belong to no complete block.
    IncompleteBlock {
        /// How many.
        pairs: usize,
    },
    /// Every block ran the same links.
    SingleLink,
    /// A subject has trials without a value.
    FailedTrials {
        /// Name of the subject.
        subject: String,
        /// Its trials.
        #[serde(flatten)]
        trials: FailedTrials,
    },
}

/// Base against head in one metric of one scenario side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The scenario.
    pub scenario: Scenario,
    /// The side.
    pub side: Side,
    /// The metric.
    pub metric: Metric,
    /// Unit of `base` and `head`.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// The verdict.
    pub verdict: Verdict,
    /// Whether further trials could decide it; never once the run has finished.
    pub open: bool,
    /// What follows.
    pub consequence: Consequence,
    /// Why the verdict is what it is.
    pub reason: Reason,
    /// What the host did, where that left the comparison inconclusive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disturbance: Option<Disturbance>,
    /// Median over the trials of base.
    pub base: Option<f64>,
    /// Median over the trials of head.
    pub head: Option<f64>,
    /// Trials of base.
    pub base_trials: usize,
    /// Trials of head.
    pub head_trials: usize,
    /// Head over base, minus 1, as the rule estimates it: by pairs for times, by medians for counts.
    pub change: Option<f64>,
    /// Lower end of the interval of `change`: 95 % for times; for counts the least that the
    /// runs allow.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// The smallest change for the worse that this measurement would have found, as a share.
    pub minimum_detectable_effect: Option<f64>,
    /// The policy's settings for it.
    pub settings: Settings,
    /// The entry that keeps a regression from failing.
    pub accepted: Option<Accepted>,
    /// The entry that covers this regression or absence, but a smaller one than was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exceeded: Option<Accepted>,
    /// Every number between the trials and the verdict.
    pub detail: Detail,
    /// What a reader must know.
    pub warnings: Vec<ComparisonWarning>,
}

impl Comparison {
    /// Whether the policy lets it fail or warn; otherwise it is only reported.
    pub fn is_gated(&self) -> bool {
        self.settings.action > crate::policy::Action::Report
    }
}
