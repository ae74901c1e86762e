//! What one side measured: samples, latencies, counts, memory.

use crate::Side;
use serde::{Deserialize, Serialize};

/// One timed batch inside one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sample {
    /// Operations in the batch: handshakes, writes of application data, or those of a primitive.
    pub operations: u64,
    /// The side's own time for all of them.
    pub nanoseconds: u64,
    /// Application bytes that crossed, or bytes that a primitive worked on; 0 for what has none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bytes: u64,
    /// Which thread, counted from 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub thread: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Time of single operations of one side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Latency {
    /// Operations counted.
    pub count: u64,
    /// Median, in nanoseconds.
    pub p50: u64,
    /// 90th percentile, in nanoseconds.
    pub p90: u64,
    /// 99th percentile, in nanoseconds.
    pub p99: u64,
    /// 99.9th percentile, in nanoseconds.
    pub p999: u64,
    /// Slowest, in nanoseconds.
    pub max: u64,
    /// The whole histogram: HdrHistogram V2, deflated, base64.
    pub histogram: String,
}

/// What a counting meter found for one side, over all its operations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Counts {
    /// Operations that the counts cover.
    pub operations: u64,
    /// Instructions executed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<u64>,
    /// Calls that allocate or grow heap memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocations: Option<u64>,
    /// Heap bytes asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocated_bytes: Option<u64>,
    /// Most heap bytes alive at once within one operation, above what was alive before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_heap: Option<u64>,
    /// Locks taken by functions of the C library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_operations: Option<u64>,
    /// Times that a lock was taken by another thread, and this one waited for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock_waits: Option<u64>,
}

/// Everything one side yielded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SideResult {
    /// Which side.
    pub side: Side,
    /// Timed batches, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
    /// Time of single operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// Counts, under a counting meter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
}

/// Peak memory of a process with many sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryPoint {
    /// Sessions alive at the peak.
    pub sessions: u32,
    /// Resident set before the first session, in KiB.
    pub baseline_kib: u64,
    /// Highest resident set after every session shook hands and carried 1 KiB, in KiB.
    pub peak_kib: u64,
}
