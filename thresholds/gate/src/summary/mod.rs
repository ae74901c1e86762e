//! A record in rows: one a subject, scenario, side and metric, each with its spread and with
//! everything that a reader must know to believe it.

mod factor;
mod memory;
mod missing;
mod row;
mod warn;
mod wire;

pub use factor::{Factor, Leaning};
pub use memory::MemorySlope;
pub(crate) use missing::{losses, why};
pub use row::{Row, State};
pub use wire::WireFacts;

use crate::series::series;
use serde::Serialize;
use shakedown_protocol::RunRecord;

/// Everything that a table of a run shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// One a scenario, side, metric and subject, in the order of the plan.
    pub rows: Vec<Row>,
    /// Each further subject against the first one.
    pub factors: Vec<Factor>,
    /// Memory of one more session, for each family of memory scenarios.
    pub memory: Vec<MemorySlope>,
    /// What crossed the wire and what was negotiated, for each subject and scenario.
    pub wire: Vec<WireFacts>,
    /// What is wrong with the run as a whole.
    pub warnings: Vec<String>,
}

/// Sums a record up. The record may be unfinished; it is expected to have passed
/// [`RunRecord::validate`], and what does not fit is left out rather than believed.
pub fn summarize(record: &RunRecord) -> Summary {
    let series = series(record);
    Summary {
        rows: row::rows(record, &series),
        factors: factor::factors(record, &series),
        memory: memory::slopes(record),
        wire: wire::facts(record),
        warnings: warn::run_warnings(record),
    }
}

#[cfg(test)]
mod tests;
