//! The explanation of a whole comparison, as it is kept beside the record.

use crate::{
    explanation::{CulpritGroup, Explanation, SitesExplanation},
    grouping::group,
    wire::WireExplanation,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use shakedown_protocol::{Metric, Scenario, Side};
use std::{collections::BTreeMap, fmt::Write as _};

/// Name of the file with an explanation, beside the record that it explains.
pub const EXPLANATION: &str = "explanation.json";

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
    /// Page faults of an operation in base and in head, both ends together, where
    /// [`SideExplanation::is_outside_of_instructions`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_faults: Option<[f64; 2]>,
    /// Misses in caches and mispredicted branches of an operation in base and in head, both ends together, by
    /// the events' names in `perf list`: those that the host's processor counted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub misses: BTreeMap<String, [f64; 2]>,
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

/// Why the bytes on the wire of one scenario changed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TrafficExplanation {
    /// The scenario.
    pub scenario: Scenario,
    /// What both ends sent.
    pub traffic: WireExplanation,
}

/// Why a comparison found what it found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparisonExplanation {
    /// Id of the record.
    pub run: String,
    /// SHA-256 of the record's file: what else lies beside it explains another one.
    pub record_sha256: String,
    /// Name of base.
    pub base: String,
    /// Name of head.
    pub head: String,
    /// What explains instructions and times, side by side.
    pub sides: Vec<SideExplanation>,
    /// What explains allocations and heap memory.
    pub allocations: Vec<AllocationExplanation>,
    /// What explains the memory of a session: bytes of one more session that are live at the peak.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<AllocationExplanation>,
    /// What explains bytes, records and flights on the wire.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub traffic: Vec<TrafficExplanation>,
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

/// SHA-256 of a record's file, lower-case hexadecimal.
pub fn record_sha256(file: &[u8]) -> String {
    Sha256::digest(file).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl ComparisonExplanation {
    /// Fills [`ComparisonExplanation::causes`] in.
    #[must_use]
    pub fn grouped(mut self) -> Self {
        self.causes = group(self.sides.iter().map(|side| &side.explanation));
        self
    }
}
