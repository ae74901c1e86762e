//! When a comparison stops.

use shakedown_protocol::{Meter, RunRecord, Scenario};
use std::collections::BTreeSet;

/// A scenario with a meter.
pub type ScenarioMeter = (Scenario, Meter);

/// Decides after each block which cells need more trials (a group sequential design).
pub trait StoppingRule {
    /// The cells that are undecided. Must depend on the record only, or a resumed run would
    /// diverge.
    fn undecided(&mut self, record: &RunRecord) -> BTreeSet<ScenarioMeter>;
}

impl<F: FnMut(&RunRecord) -> BTreeSet<ScenarioMeter>> StoppingRule for F {
    fn undecided(&mut self, record: &RunRecord) -> BTreeSet<ScenarioMeter> {
        self(record)
    }
}
