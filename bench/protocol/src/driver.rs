//! What goes between the scheduler and a driver process: one [`DriverRequest`] as JSON on the
//! driver's standard input, one [`DriverReply`] on its standard output.

use crate::{
    MemoryPoint, Mismatch, Negotiated, Parameter, Scenario, SideResult, TlsScenario, WireTraffic,
};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Version of the driver protocol; a driver answers requests of its own version only.
pub const DRIVER_PROTOCOL: u32 = 1;

/// The instrument of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Meter {
    /// Time, in batches; and peak memory in memory scenarios.
    Time,
    /// Heap allocations, wire bytes, records and flights over a fixed number of operations.
    Heap,
    /// Instructions over a fixed number of operations.
    Instructions,
    /// Locks, over a fixed number of operations of one thread, or for the measuring time of several.
    Locks,
}

impl Meter {
    /// Every instrument.
    pub const ALL: [Self; 4] = [Self::Time, Self::Heap, Self::Instructions, Self::Locks];

    /// Its name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::Heap => "heap",
            Self::Instructions => "instructions",
            Self::Locks => "locks",
        }
    }
}

/// A request to run one trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DriverRequest {
    /// [`DRIVER_PROTOCOL`] of the scheduler.
    pub protocol: u32,
    /// What to measure.
    pub scenario: Scenario,
    /// The meter.
    pub meter: Meter,
    /// Folder with the test certificates.
    pub pki: PathBuf,
    /// Warm-up time, in milliseconds.
    pub warm_up_ms: u32,
    /// Measuring time, in milliseconds: the sum of both sides' own time.
    pub measure_ms: u32,
    /// Target duration of a batch, in milliseconds.
    pub batch_ms: u32,
    /// Number of operations under a counting meter.
    pub operations: u32,
    /// Tickets that the server sends after a TLS 1.3 handshake.
    pub tickets: u8,
    /// Seed for the library's random number generator under a counting meter, if it can be seeded.
    pub seed: u64,
}

/// A driver's description of itself and its library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriverInfo {
    /// [`DRIVER_PROTOCOL`] of the driver.
    pub protocol: u32,
    /// Stack, as in the subject's name.
    pub stack: String,
    /// Version string that the library reports at run time.
    pub library: String,
    /// Build details that the library reports: provider, allocator, flags.
    #[serde(default)]
    pub details: Vec<String>,
    /// CPU features relevant to cryptography that the process detected.
    #[serde(default)]
    pub cpu_features: Vec<String>,
}

/// Why a stack does not support a scenario, as one line of text.
pub type UnsupportedReason = String;

/// What one process measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Measurement {
    /// The measured scenario; must equal the requested one.
    pub scenario: Scenario,
    /// What both endpoints negotiated; `None` for a primitive. For an in-tree benchmark: what its
    /// output says, unverified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negotiated: Option<Negotiated>,
    /// Traffic of one operation; `None` for an in-tree benchmark, which does not report it, and for a
    /// primitive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire: Option<WireTraffic>,
    /// Number of connections whose parameters were checked, or of outcomes of a primitive; 0 for an
    /// in-tree benchmark.
    pub checked: u64,
    /// One result per side.
    pub sides: Vec<SideResult>,
    /// Peak memory, in memory scenarios.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryPoint>,
}

impl Measurement {
    /// Every parameter that was negotiated differently from what the scenario requires.
    pub fn differences(&self) -> Vec<Mismatch> {
        match (self.scenario.tls(), &self.negotiated) {
            (Some(scenario), Some(negotiated)) => {
                let mut found = negotiated.differences(scenario);
                found.extend(self.other_records(scenario));
                found
            }
            (None, None) => Vec::new(),
            (scenario, negotiated) => vec![Mismatch {
                parameter: Parameter::Connection,
                required: some(scenario.is_some()),
                negotiated: some(negotiated.is_some()),
            }],
        }
    }

    /// Where the server sent an operation in more or fewer records than the scenario says.
    fn other_records(&self, scenario: &TlsScenario) -> Option<Mismatch> {
        let required = scenario.records()?;
        let sent = self.wire.map(|wire| wire.server.records);
        (sent != Some(required)).then(|| Mismatch {
            parameter: Parameter::Records,
            required: required.to_string(),
            negotiated: sent.map_or("unknown".to_owned(), |records| records.to_string()),
        })
    }
}

fn some(there: bool) -> String {
    if there { "one" } else { "none" }.to_owned()
}

/// Why a driver measured nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "why", content = "reason", rename_all = "kebab-case")]
pub enum DriverRefusal {
    /// This version or build of the library does not support the scenario.
    Unsupported(UnsupportedReason),
    /// The endpoints negotiated something other than the scenario.
    Broken(String),
    /// The library or the driver failed.
    Failed(String),
}

/// A driver's answer to a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum DriverReply {
    /// The measurement.
    Measured(Measurement),
    /// Why nothing was measured.
    Refused(DriverRefusal),
}
