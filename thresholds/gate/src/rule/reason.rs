//! Why a verdict is what it is.

use serde::{Deserialize, Serialize};
use shakedown_summary::Absence;

/// Which way head differs from base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeDirection {
    /// Head is worse.
    Worse,
    /// Head is better.
    Better,
}

/// Why a verdict is what it is, with the numbers that matter. Margins are shares of one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Reason {
    /// No trial of it has run yet.
    NotMeasured,
    /// Head is broken, and base is as well.
    BothBroken {
        /// What head's first failed trial says.
        first: Absence,
    },
    /// Head negotiates something other than the scenario, base does not.
    HeadBroken {
        /// What the first such trial says.
        first: Absence,
    },
    /// Head fails repeatedly, base never.
    HeadFails {
        /// Failed trials of head.
        failed: usize,
        /// All trials of head.
        trials: usize,
        /// What the first of them says.
        first: Absence,
    },
    /// Every trial of head was lost.
    HeadLost {
        /// Why.
        absence: Absence,
    },
    /// Base has a value, head has none.
    HeadMissing {
        /// Why.
        absence: Absence,
    },
    /// Head has a value, base has none.
    New {
        /// Why.
        absence: Absence,
    },
    /// Neither side has a value.
    BothMissing {
        /// Why head has none.
        absence: Absence,
    },
    /// More runs may decide a count.
    RunsSoFar {
        /// Runs a side.
        runs: usize,
    },
    /// A count changed by more than the margin.
    CountChanged {
        /// Which way.
        change: ChangeDirection,
        /// The margin.
        margin: f64,
        /// Units that chance alone may add, beyond the margin.
        allowance: f64,
        /// Whether each side repeats exactly; if not, the ranges of the two sides are apart.
        exact: bool,
        /// Runs a side.
        runs: usize,
    },
    /// A count repeats exactly on each side, and stays within the margin.
    CountWithinMargin {
        /// The margin.
        margin: f64,
        /// Units that chance alone may add, beyond the margin.
        allowance: f64,
        /// Runs a side.
        runs: usize,
    },
    /// A count does not repeat, and a growth by the non-inferiority margin is excluded.
    CountNotInferior {
        /// That margin.
        non_inferiority_margin: f64,
    },
    /// A count does not repeat, and the ranges of the two sides overlap.
    CountsOverlap {
        /// Runs a side.
        runs: usize,
    },
    /// The run ended before a count had all its runs.
    TooFewRuns {
        /// Whether each side repeats exactly.
        exact: bool,
        /// Runs a side.
        runs: usize,
        /// Runs a side that the policy asks for.
        required: u32,
    },
    /// No block counts yet.
    NoBlocks,
    /// More blocks may decide a time.
    BlocksSoFar {
        /// Blocks that count.
        blocks: usize,
        /// Blocks at most.
        max_blocks: u32,
    },
    /// A time changed by more than the margin, throughout and beyond the noise.
    TimeChanged {
        /// Which way.
        change: ChangeDirection,
        /// The margin.
        margin: f64,
        /// Blocks that count.
        blocks: usize,
    },
    /// The mean is beyond the margin, but some stretches of the run are not.
    BlocksDisagree,
    /// A time got worse by less than the non-inferiority margin, if at all.
    TimeNotInferior {
        /// That margin.
        non_inferiority_margin: f64,
    },
    /// The run ended before enough blocks counted.
    TooFewBlocks {
        /// Blocks that count.
        blocks: usize,
        /// Blocks at most.
        max_blocks: u32,
    },
    /// Nothing is decided after the last block.
    TooNoisy {
        /// What limits the precision.
        limit: Limit,
        /// Blocks that count.
        blocks: usize,
    },
}

/// What limits the precision of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Limit {
    /// Pairs differ from each other by more than those of unchanged code do.
    BetweenPairs,
    /// The host is not calibrated, so that large noise is assumed.
    NotCalibrated,
    /// Unchanged builds of the scenario differ.
    UnchangedBuilds {
        /// Standard deviation of the log ratio of two links, measured in ten pairs.
        sigma: f64,
    },
}
