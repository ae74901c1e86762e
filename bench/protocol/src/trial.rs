//! What one process measured, and what the host did meanwhile.

use crate::{
    CipherSuite, Group, Key, Kind, Measured, Meter, Metric, Refusal, Scenario, Side, TlsVersion,
    names::named,
};
use serde::{Deserialize, Serialize};

/// One timed batch inside one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Sample {
    /// Operations in the batch: handshakes, or writes of application data.
    pub operations: u64,
    /// The side's own time for all of them.
    pub nanoseconds: u64,
    /// Application bytes that crossed; 0 for handshakes.
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

/// What both ends agreed on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Negotiated {
    /// Protocol version.
    pub version: TlsVersion,
    /// Record protection.
    pub suite: CipherSuite,
    /// Suite under its IANA name.
    pub suite_name: String,
    /// Key exchange group; `None` where the handshake had none (TLS 1.2 resumption) and for
    /// in-tree benchmarks.
    pub group: Option<Group>,
    /// Key of the server's certificate; `None` in resumptions.
    pub key: Option<Key>,
    /// Signature scheme of the server under its IANA name; `None` in resumptions.
    pub signature: Option<String>,
    /// Whether the handshake resumed an earlier session. Both ends must say so.
    pub resumed: bool,
    /// Whether the server saw a certificate of the client, in this session or the resumed one.
    #[serde(default)]
    pub client_auth: bool,
}

impl Negotiated {
    /// Says in words where this is not what the scenario asks for; empty when it is.
    pub fn differences(&self, scenario: &Scenario) -> Vec<String> {
        let mut found = Vec::new();
        let mut check = |what: &str, wanted: String, got: String| {
            if wanted != got {
                found.push(format!("{what}: wanted {wanted}, negotiated {got}"));
            }
        };
        check("version", scenario.version.to_string(), self.version.to_string());
        check("suite", scenario.suite.to_string(), self.suite.to_string());
        check("resumed", scenario.resumes().to_string(), self.resumed.to_string());
        // A TLS 1.2 resumption exchanges no keys, an in-tree benchmark does not name the group;
        // everything else must show it.
        let has_group = !(scenario.in_tree || self.resumed && self.version == TlsVersion::Tls12);
        if has_group {
            let got = self.group.map_or("none".to_owned(), |g| g.to_string());
            let wanted = match scenario.group {
                Group::Default => got.clone(),
                pinned => pinned.to_string(),
            };
            check("group", wanted, got);
        }
        if !self.resumed {
            let got = self.key.map_or("none".to_owned(), |k| k.to_string());
            check("key", scenario.key.to_string(), got);
        }
        if !self.resumed || scenario.client_auth {
            check("client auth", scenario.client_auth.to_string(), self.client_auth.to_string());
        }
        found
    }
}

/// What one end put on the wire.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Direction {
    /// Bytes, record headers included.
    pub bytes: u64,
    /// TLS records.
    pub records: u64,
    /// Turns in which it sent something.
    pub flights: u64,
}

/// What crossed the wire in one operation, in each direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Wire {
    /// From client to server.
    pub client: Direction,
    /// From server to client.
    pub server: Direction,
}

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

/// How a trial ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// With a measurement.
    Measured(Measured),
    /// The driver said why not.
    Refused(Refusal),
    /// The driver died, hung, or answered with something that can't be true.
    Lost {
        /// What happened, in one line.
        reason: String,
        /// The end of what it wrote to standard error.
        stderr: String,
    },
}

/// One process execution of one scenario of one subject.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Trial {
    /// Round, counted from 0.
    pub block: u32,
    /// Place within the block, in order of execution.
    pub position: u32,
    /// Name of the subject's entry in the record.
    pub subject: String,
    /// What was measured.
    pub scenario: Scenario,
    /// With which instrument.
    pub meter: Meter,
    /// Which link of the artifact, an index into [`Artifact::links`](crate::Artifact).
    #[serde(default)]
    pub link: u32,
    /// CPU that the process was pinned to.
    pub cpu: Option<u32>,
    /// Start, in milliseconds since 1970 UTC.
    pub started_ms: u64,
    /// What the host did meanwhile.
    pub watch: HostWatch,
    /// What is wrong with it, judged by `watch`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaws: Vec<Flaw>,
    /// How it ended.
    pub outcome: Outcome,
}

impl Trial {
    /// The measurement, if the trial has one.
    pub const fn measured(&self) -> Option<&Measured> {
        match &self.outcome {
            Outcome::Measured(measured) => Some(measured),
            _ => None,
        }
    }

    /// The one number that the trial stands for, of each side and metric.
    ///
    /// Rates are the median over the batches (summed over threads first), so that a
    /// batch that the host disturbed does not move the trial.
    pub fn values(&self) -> Vec<(Side, Metric, f64)> {
        let Some(measured) = self.measured() else { return Vec::new() };
        let mut values = Vec::new();
        for result in &measured.sides {
            let side = result.side;
            let mut push = |metric, value| values.push((side, metric, value));
            if let Some(rate) = rate(&self.scenario, &result.samples) {
                match self.scenario.kind {
                    Kind::Bulk { .. } => push(Metric::Throughput, rate),
                    _ => push(Metric::Handshakes, rate),
                }
            }
            if let Some(latency) = &result.latency {
                push(Metric::LatencyP50, latency.p50 as f64 / 1e3);
                push(Metric::LatencyP99, latency.p99 as f64 / 1e3);
            }
            if let Some(counts) = result.counts.filter(|counts| counts.operations > 0) {
                let each = |total: u64| total as f64 / counts.operations as f64;
                let counted = [
                    (Metric::Instructions, counts.instructions.map(each)),
                    (Metric::Allocations, counts.allocations.map(each)),
                    (Metric::AllocatedBytes, counts.allocated_bytes.map(each)),
                    (Metric::PeakHeap, counts.peak_heap.map(|bytes| bytes as f64)),
                ];
                for (metric, value) in counted {
                    if let Some(value) = value {
                        push(metric, value);
                    }
                }
            }
            if let (Meter::Heap, Some(wire)) = (self.meter, measured.wire) {
                let sent = match side {
                    Side::Client | Side::Receive => Some(wire.client),
                    Side::Server | Side::Send => Some(wire.server),
                    Side::Both => None,
                };
                if let Some(sent) = sent {
                    push(Metric::WireBytes, sent.bytes as f64);
                    push(Metric::Records, sent.records as f64);
                    push(Metric::Flights, sent.flights as f64);
                }
            }
        }
        if let Some(memory) = measured.memory {
            values.push((Side::Both, Metric::PeakMemory, memory.peak_kib as f64));
            let grown = memory.peak_kib.saturating_sub(memory.baseline_kib) as f64 * 1024.0;
            let each = grown / f64::from(memory.sessions.max(1));
            values.push((Side::Both, Metric::SessionMemory, each));
        }
        values
    }
}

/// Median rate of the batches: operations per second, or MiB per second for bulk. Batches
/// of several threads are each thread's median, summed.
fn rate(scenario: &Scenario, samples: &[Sample]) -> Option<f64> {
    const MIB: f64 = 1_048_576.0;
    let bulk = matches!(scenario.kind, Kind::Bulk { .. });
    let one = |sample: &Sample| {
        let amount = if bulk { sample.bytes as f64 / MIB } else { sample.operations as f64 };
        amount * 1e9 / sample.nanoseconds as f64
    };
    let threads = samples.iter().map(|sample| sample.thread).max()? + 1;
    (0..threads)
        .map(|thread| {
            let mut rates: Vec<f64> = samples
                .iter()
                .filter(|s| s.thread == thread && s.nanoseconds > 0)
                .map(one)
                .collect();
            rates.sort_by(f64::total_cmp);
            let middle = rates.len() / 2;
            match rates.len() {
                0 => None,
                odd if odd % 2 == 1 => Some(rates[middle]),
                _ => Some(f64::midpoint(rates[middle - 1], rates[middle])),
            }
        })
        .sum()
}

#[cfg(test)]
pub(crate) mod tests;
