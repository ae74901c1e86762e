//! What goes between the scheduler and a driver process: one [`Request`] as JSON on the
//! driver's standard input, one [`Reply`] on its standard output.

use crate::{MemoryPoint, Negotiated, Scenario, SideResult, Wire};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Version of the driver protocol; a driver answers requests of its own version only.
pub const DRIVER_PROTOCOL: u32 = 1;

/// Which instrument a trial uses.
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
}

/// One trial, as asked of a driver.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// [`DRIVER_PROTOCOL`] of the scheduler.
    pub protocol: u32,
    /// What to measure.
    pub scenario: Scenario,
    /// With which instrument.
    pub meter: Meter,
    /// Folder with the test certificates.
    pub pki: PathBuf,
    /// How long to run before anything is kept, in milliseconds.
    pub warm_up_ms: u32,
    /// How long to measure, in milliseconds of the two sides' own time together.
    pub measure_ms: u32,
    /// How long a batch shall take, in milliseconds.
    pub batch_ms: u32,
    /// How many operations a counting meter covers.
    pub operations: u32,
    /// Tickets that the server sends after a TLS 1.3 handshake.
    pub tickets: u8,
    /// Seed for the library's randomness under a counting meter, where it can be seeded.
    pub seed: u64,
}

/// What a driver says of itself and its library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriverInfo {
    /// [`DRIVER_PROTOCOL`] of the driver.
    pub protocol: u32,
    /// Stack, as in the subject's name.
    pub stack: String,
    /// Version string of the library as the library gives it at run time.
    pub library: String,
    /// Build variant facts that the library knows: provider, allocator, flags.
    #[serde(default)]
    pub details: Vec<String>,
    /// Crypto-relevant CPU features that this process saw.
    #[serde(default)]
    pub cpu_features: Vec<String>,
}

/// A reason why a stack can't do a scenario, for people.
pub type UnsupportedReason = String;

/// What one process measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Measured {
    /// The scenario that was measured, so that a mix-up can't go unseen.
    pub scenario: Scenario,
    /// What both ends agreed on. An in-tree benchmark is taken at its word: this is what its
    /// output says, and nobody asked the library.
    pub negotiated: Negotiated,
    /// What crossed the wire in one operation; `None` for an in-tree benchmark, which does
    /// not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire: Option<Wire>,
    /// Connections whose negotiated facts were checked; 0 for an in-tree benchmark.
    pub checked: u64,
    /// One result a side.
    pub sides: Vec<SideResult>,
    /// Peak memory, in memory scenarios.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryPoint>,
}

/// Why a driver measured nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "why", content = "reason", rename_all = "kebab-case")]
pub enum Refusal {
    /// The library, in this version or build, can't do the scenario.
    Unsupported(UnsupportedReason),
    /// The ends agreed on something other than the scenario says.
    Broken(String),
    /// The library or the driver failed.
    Failed(String),
}

/// What a driver answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// It measured.
    Measured(Measured),
    /// It did not, and says why.
    Refused(Refusal),
}
