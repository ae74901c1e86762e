//! What is known of the machine. Found, not wished: see the crate `host`.

use crate::names::named;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

named! {
    /// How a knob stands against what a benchmark host wants.
    KnobState ("knob state") {
        /// As wanted.
        Ok = "ok",
        /// Other than wanted.
        Differs = "differs",
        /// This hardware, kernel or machine kind does not have it.
        Absent = "absent",
        /// It is there but could not be read.
        Unreadable = "unreadable",
        /// Recorded, with nothing wanted.
        Recorded = "recorded",
    }
}

/// One setting of the machine that moves measurements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Knob {
    /// Stable name, for example `smt` or `turbo`.
    pub name: String,
    /// What was found; `None` where there is nothing to read.
    pub found: Option<String>,
    /// What a quiet host has; `None` for knobs that are only recorded.
    pub wanted: Option<String>,
    /// How the two compare.
    pub state: KnobState,
    /// What to do about it, in one line; empty where nothing is to be done.
    #[serde(default)]
    pub fix: String,
}

/// The processor, as far as it moves measurements.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CpuInfo {
    /// Architecture as `uname -m` says it.
    pub architecture: String,
    /// Vendor, for example `GenuineIntel`.
    pub vendor: String,
    /// Marketing name.
    pub model: String,
    /// Family, model and stepping, joined by `-`.
    pub signature: String,
    /// Microcode revision, where readable.
    pub microcode: Option<String>,
    /// Instruction set extensions that TLS libraries choose their code by.
    pub features: Vec<String>,
    /// CPUs that are online.
    pub online: u32,
    /// Threads on each core.
    pub threads_per_core: u32,
}

/// A host in one fixed state: results are compared inside one epoch only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Epoch {
    /// Digest over `facts`, as 16 lower-case hexadecimal digits.
    pub id: String,
    /// Everything that went into the digest, so that the difference between two epochs can
    /// be told in words.
    pub facts: BTreeMap<String, String>,
}

/// One machine at one time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostFacts {
    /// Host name; a label, not part of the epoch.
    pub name: String,
    /// Processor.
    pub cpu: CpuInfo,
    /// Kernel release.
    pub kernel: String,
    /// Distribution, for example `Debian GNU/Linux 12 (bookworm)`.
    pub system: String,
    /// `none` on bare metal, otherwise what was recognised, for example `kvm`.
    pub virtualization: String,
    /// Physical memory in KiB.
    pub memory_kib: u64,
    /// Every knob, in the order in which they are checked.
    pub knobs: Vec<Knob>,
    /// The state as one id.
    pub epoch: Epoch,
    /// Whether the host is fit for numbers that others may see.
    pub fit: bool,
}
