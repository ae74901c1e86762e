//! The plan of a run.

use crate::{Backfill, FailedBuild, Fallback, Incompatible, Meter, Scenario};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Address space layout randomisation of the driver processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Aslr {
    /// Each process gets another layout: many layouts are sampled.
    On,
    /// Every process gets the same layout.
    Off,
}

/// The file that a suite was read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SuiteFile {
    /// Its path as it was given; `None` for a suite of the catalog, which its name finds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// SHA-256 of the file, in hexadecimal.
    pub sha256: String,
}

/// When a run takes its counts, which need a CPU, but no quiet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum CountTiming {
    /// While times are measured, on another CPU.
    BesideTimes,
    /// While no times are measured.
    AfterTimes,
}

impl CountTiming {
    /// Every one.
    pub const ALL: [Self; 2] = [Self::BesideTimes, Self::AfterTimes];

    /// Its name, as in a record.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BesideTimes => "beside-times",
            Self::AfterTimes => "after-times",
        }
    }
}

impl fmt::Display for CountTiming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The largest amount of measuring that a comparison may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparisonBudget {
    /// Pairs of timed trials in a block, rounded up to an even number. The plan sets the number of
    /// blocks.
    pub pairs: u32,
    /// Neighbouring pairs of a scenario that run the same links. One, unless the luck of layouts is to be
    /// told from other noise.
    pub pairs_per_link: u32,
    /// Trials of each subject in counted cells (and of peak memory), over all blocks. Each block
    /// runs two.
    pub count_runs: u32,
    /// ABBA groups that may be repeated in each block because the host disturbed them, in percent
    /// of the block's timed groups.
    pub repeats: u32,
    /// No round starts after this many minutes of measuring.
    pub minutes: u32,
}

impl ComparisonBudget {
    /// ABBA groups in a block, of two pairs each.
    pub const fn rounds(&self) -> u32 {
        self.pairs.div_ceil(2)
    }

    /// The link that a pair of a block runs.
    pub const fn link(&self, block: u32, pair: u32) -> u32 {
        (block * 2 * self.rounds() + pair) / self.pairs_per_link
    }

    /// Links of each subject that so many blocks run.
    pub const fn links(&self, blocks: u32) -> u32 {
        (blocks * 2 * self.rounds()).div_ceil(self.pairs_per_link)
    }
}

/// The plan of a run. A resumed run follows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunPlan {
    /// Name of the suite.
    pub suite: String,
    /// The suite's file; `None` in records that are older than this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suite_file: Option<SuiteFile>,
    /// Whether base and head are measured in pairs, as by `shakedown compare`. `None` in records that
    /// are older than this field: see [`RunRecord::is_paired`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paired: Option<bool>,
    /// Patterns that chose scenarios of the suite; all of them are planned where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// How much a comparison may measure. `None` in a plain run, and in records that are older than this
    /// field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<ComparisonBudget>,
    /// When counts are taken. `None` in records that are older than this field: between times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<CountTiming>,
    /// Scenarios, in order.
    pub scenarios: Vec<Scenario>,
    /// Instruments that each scenario is measured with.
    pub meters: Vec<Meter>,
    /// Instruments that were chosen out of the suite's; all of them where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only_meters: Vec<Meter>,
    /// Rounds.
    pub blocks: u32,
    /// Seed of the order within blocks.
    pub seed: u64,
    /// Layout randomisation.
    pub aslr: Aslr,
    /// Warm-up of each trial, in milliseconds.
    pub warm_up_ms: u32,
    /// Measuring time of each trial, in milliseconds of the sides' own time.
    pub measure_ms: u32,
    /// Length of a batch, in milliseconds.
    pub batch_ms: u32,
    /// Operations under a counting meter.
    pub operations: u32,
    /// Tickets after a TLS 1.3 handshake.
    pub tickets: u8,
    /// A trial that takes longer than this is lost, in milliseconds.
    pub timeout_ms: u64,
    /// What was asked for, where the plan has in-tree benchmarks in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Fallback>,
    /// Subjects that were asked for and are not part of the run, as their drivers do not fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Incompatible>,
    /// Subjects that were asked for and are not part of the run, as they did not build.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_built: Vec<FailedBuild>,
    /// The missed run that this run stands in for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backfill: Option<Backfill>,
}

impl RunPlan {
    /// Whether in-tree benchmarks measure. They never share a plan with drivers.
    pub fn in_tree(&self) -> bool {
        self.scenarios.iter().any(|scenario| scenario.in_tree())
    }

    /// The subjects that were asked for and whose drivers do not fit.
    pub fn incompatible(&self) -> impl Iterator<Item = &Incompatible> {
        let fallen_back = self.fallback.iter().flat_map(|fallback| &fallback.subjects);
        fallen_back.chain(&self.left_out)
    }
}
