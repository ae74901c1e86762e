//! The explanation of a whole comparison, as it is kept beside the record.

use crate::{
    explanation::{CulpritGroup, Explanation, SitesExplanation},
    grouping::group,
};
use serde::{Deserialize, Serialize};
use shakedown_protocol::{Metric, Scenario, Side};
use std::collections::BTreeMap;

/// Why the numbers of one side of one scenario changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SideExplanation {
    /// The scenario.
    pub scenario: Scenario,
    /// The side.
    pub side: Side,
    /// The metrics of this side whose verdict is a change.
    pub metrics: Vec<Metric>,
    /// What the profiles say.
    pub explanation: Explanation,
}

impl SideExplanation {
    /// Whether a time changed, and the instructions did not: the cause lies elsewhere.
    pub fn is_outside_of_instructions(&self) -> bool {
        let timed = self.metrics.iter().any(|metric| !metric.is_count());
        timed && self.explanation.is_unchanged()
    }
}

/// Why the allocations of one scenario changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AllocationExplanation {
    /// The scenario.
    pub scenario: Scenario,
    /// What DHAT says of both ends together.
    pub sites: SitesExplanation,
}

/// Why a comparison found what it found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparisonExplanation {
    /// Id of the record.
    pub run: String,
    /// Name of base.
    pub base: String,
    /// Name of head.
    pub head: String,
    /// What explains instructions and times, side by side.
    pub sides: Vec<SideExplanation>,
    /// What explains allocations and heap memory.
    pub allocations: Vec<AllocationExplanation>,
    /// The sides whose change has one cause, the largest change first.
    pub causes: Vec<CulpritGroup>,
    /// Scenarios that changed and were not profiled, as their number was limited.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_profiled: Vec<Scenario>,
    /// Scenarios that could not be profiled, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<(Scenario, String)>,
    /// Instructions per operation by stack in base and in head, of the sides that changed, for a
    /// differential flame graph.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stacks: BTreeMap<String, [f64; 2]>,
}

impl ComparisonExplanation {
    /// Fills [`ComparisonExplanation::causes`] in.
    #[must_use]
    pub fn grouped(mut self) -> Self {
        self.causes = group(self.sides.iter().map(|side| &side.explanation));
        self
    }
}
