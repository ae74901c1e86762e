//! Pictures of one run.

use super::{Picture, factors, latency, lines};
use anyhow::Result;
use shakedown_protocol::{RunRecord, Scenario};
use shakedown_summary::Summary;

/// What a picture of a run shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum PlotKind {
    /// How many times as good as the first subject the others are: rates and memory
    Factors,
    /// Memory against the number of sessions
    Memory,
    /// How long single operations take: percentiles up to the slowest
    Latency,
    /// The rate against the number of threads
    Threads,
}

impl PlotKind {
    /// Makes the picture, of the scenarios for which `wanted` says yes.
    ///
    /// # Errors
    /// Says what the run lacks for it.
    pub fn picture(
        self,
        record: &RunRecord,
        summary: &Summary,
        wanted: &dyn Fn(&Scenario) -> bool,
    ) -> Result<Picture> {
        match self {
            Self::Factors => factors::picture(record, summary, wanted),
            Self::Memory => lines::memory(record, summary, wanted),
            Self::Latency => latency::picture(record, wanted),
            Self::Threads => lines::threads(record, summary, wanted),
        }
    }
}
