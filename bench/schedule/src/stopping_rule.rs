//! When a comparison stops: the budget and the stopping rule.

use shakedown_protocol::{Meter, RunRecord, Scenario};
use std::collections::BTreeSet;

/// A scenario with a meter.
pub type ScenarioMeter = (Scenario, Meter);

/// The largest amount of measuring that a comparison may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComparisonBudget {
    /// Pairs of timed trials in a block, rounded up to an even number. The plan sets the number of
    /// blocks.
    pub pairs: u32,
    /// Trials of each subject in counted cells (and of peak memory), over all blocks. Each block
    /// runs two.
    pub count_runs: u32,
    /// ABBA groups that may be repeated in each block because the host disturbed them, in percent
    /// of the block's timed groups.
    pub repeats: u32,
    /// No round starts after this many minutes of measuring.
    pub minutes: u32,
}

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
