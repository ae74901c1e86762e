//! What crossed the wire and what was agreed on, so that a reader sees what was compared.

use serde::Serialize;
use shakedown_protocol::{Negotiated, RunRecord, Scenario, WireTraffic};

/// Wire and negotiation of one subject in one scenario.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WireFacts {
    /// Name of the subject's entry in the record.
    pub subject: String,
    /// The scenario.
    pub scenario: Scenario,
    /// What both ends agreed on, in the first trial.
    pub negotiated: Negotiated,
    /// What crossed the wire in one operation, in the first trial.
    pub wire: WireTraffic,
    /// Connections whose facts were checked, over all trials.
    pub checked: u64,
    /// Whether every trial saw the same bytes, records and flights. ECDSA signatures vary
    /// by a byte or two, so that `false` is no fault.
    pub constant: bool,
}

/// One entry a subject and scenario that was measured, in the plan's order.
pub(super) fn facts(record: &RunRecord) -> Vec<WireFacts> {
    let mut found = Vec::new();
    for scenario in &record.plan.scenarios {
        for entry in &record.subjects {
            let mut measured = record
                .trials
                .iter()
                .filter(|t| t.subject == entry.name && t.scenario == *scenario)
                .filter_map(|trial| trial.measured())
                .peekable();
            let Some(&first) = measured.peek() else { continue };
            // An in-tree benchmark says nothing of the wire, and a primitive has none.
            let (Some(wire), Some(negotiated)) = (first.wire, &first.negotiated) else { continue };
            let mut facts = WireFacts {
                subject: entry.name.clone(),
                scenario: *scenario,
                negotiated: negotiated.clone(),
                wire,
                checked: 0,
                constant: true,
            };
            for each in measured {
                facts.checked = facts.checked.saturating_add(each.checked);
                facts.constant &= each.wire == first.wire;
            }
            found.push(facts);
        }
    }
    found
}
