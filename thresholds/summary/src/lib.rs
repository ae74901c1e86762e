//! The numbers of a run: from the samples of its trials to medians, intervals and warnings.
//!
//! [`summarize`] turns a record into rows, one for each subject, scenario, side and metric. The
//! gate builds its verdicts on the same [`series`] and [`stats`], and the history indexes the
//! same rows, so that one quantity has one estimate everywhere.
//!
//! Nothing here reads a file, a clock or a source of randomness, and nothing here knows about
//! policies, verdicts or how a number is shown.

mod absence;
mod agreement;
mod factor;
mod family;
#[cfg(any(test, feature = "fixture"))]
#[allow(missing_docs)]
pub mod fixture;
mod keys;
mod memory;
mod row;
pub mod series;
mod state;
pub mod stats;
mod warning;
mod wire;

pub use absence::{Absence, FailedTrials, absence, failed_trials};
pub use agreement::{
    AgreementError, AgreementQuantity, FleetAgreement, HostAgreement, HostClass, HostFactor,
    agreement,
};
pub use factor::{EffectDirection, Factor, by_block};
pub use family::{FamilyFactor, HEADLINE_METRICS};
pub use keys::keys;
pub use memory::MemorySlope;
pub use row::Row;
pub use state::State;
pub use warning::{RunWarning, Warning};
pub use wire::WireFacts;

use serde::Serialize;
use series::series;
use shakedown_protocol::RunRecord;

/// Version of the rules that make a [`Summary`]. Increase it whenever the same record would give
/// another value, interval or set of rows: whoever keeps summaries makes them again.
pub const VERSION: u16 = 1;

/// Everything that a table of a run shows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// One a scenario, side, metric and subject, in the order of the plan.
    pub rows: Vec<Row>,
    /// Each further subject against the first one.
    pub factors: Vec<Factor>,
    /// The geometric means of the factors of each family.
    pub families: Vec<FamilyFactor>,
    /// Memory of one more session, for each family of memory scenarios.
    pub memory: Vec<MemorySlope>,
    /// What crossed the wire and what was negotiated, for each subject and scenario.
    pub wire: Vec<WireFacts>,
    /// What is wrong with the run as a whole.
    pub warnings: Vec<RunWarning>,
}

/// Sums a record up. The record may be unfinished; it is expected to have passed
/// [`RunRecord::validate`], and what does not fit is left out rather than believed.
pub fn summarize(record: &RunRecord) -> Summary {
    let series = series(record);
    Summary {
        rows: row::rows(record, &series),
        factors: factor::factors(record, &series),
        families: family::families(record, &series),
        memory: memory::slopes(record),
        wire: wire::facts(record),
        warnings: warning::of_run(record),
    }
}

#[cfg(test)]
mod tests;
