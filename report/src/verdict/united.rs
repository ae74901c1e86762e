//! What the host did, said once.

use crate::words;
use shakedown_gate::Comparison;
use shakedown_protocol::Flaw;
use std::collections::{BTreeMap, BTreeSet};

/// Findings whose reasons differ only in what the host did name everything that it did to any of them,
/// so that they have one reason in common.
pub(super) fn united(comparisons: &[Comparison]) -> Vec<Comparison> {
    let mut all: BTreeMap<String, BTreeSet<Flaw>> = BTreeMap::new();
    for found in comparisons {
        if let Some(host) = &found.disturbance {
            all.entry(words::why_in_short(found)).or_default().extend(&host.flaws);
        }
    }
    let mut united = comparisons.to_vec();
    for found in &mut united {
        let flaws = all.get(&words::why_in_short(found));
        if let Some((host, flaws)) = found.disturbance.as_mut().zip(flaws) {
            host.flaws.clone_from(flaws);
        }
    }
    united
}
