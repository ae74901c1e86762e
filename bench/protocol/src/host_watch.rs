//! What the host did while a trial ran.

use crate::names::named;
use serde::{Deserialize, Serialize};

/// What the host did while a trial ran: differences between its start and its end.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostWatch {
    /// Wall-clock time of the process, in microseconds.
    pub wall_us: u64,
    /// CPU time in user mode, in microseconds.
    pub user_us: u64,
    /// CPU time in the kernel, in microseconds.
    pub system_us: u64,
    /// Times the process gave up the CPU.
    pub voluntary_switches: u64,
    /// Times the CPU was taken from it.
    pub involuntary_switches: u64,
    /// Page faults served from memory.
    pub minor_faults: u64,
    /// Page faults served from disk.
    pub major_faults: u64,
    /// Highest resident set of the process, in KiB.
    pub peak_kib: u64,
    /// Time that the process was ready to run but had no CPU, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_us: Option<u64>,
    /// Time that some task waited for a CPU (PSI), in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure_cpu_us: Option<u64>,
    /// Time that some task waited for memory (PSI), in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure_memory_us: Option<u64>,
    /// Time that some task waited for storage (PSI), in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pressure_io_us: Option<u64>,
    /// Time that the hypervisor took from the trial's CPU, in microseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal_us: Option<u64>,
    /// Thermal throttle events of the trial's core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttles: Option<u64>,
    /// Frequency of the trial's core at the start, in kHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub khz_before: Option<u64>,
    /// Frequency of the trial's core at the end, in kHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub khz_after: Option<u64>,
    /// Times the process moved to another CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub migrations: Option<u64>,
}

named! {
    /// Something the host did to a trial. A flawed trial is kept and flagged; it is judged
    /// by what the host did, never by its value.
    Flaw ("flaw") {
        /// The hypervisor took time away.
        Stolen = "stolen",
        /// The CPU was taken by other work.
        Preempted = "preempted",
        /// The core throttled.
        Throttled = "throttled",
        /// The frequency moved.
        Frequency = "frequency",
        /// The process moved to another CPU.
        Migrated = "migrated",
        /// Pages came from disk.
        Paged = "paged",
        /// The process waited for longer than it ran.
        Waited = "waited",
    }
}
