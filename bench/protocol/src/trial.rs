//! What one process measured, and what the host did meanwhile.

use crate::{
    DriverRefusal, Flaw, HostWatch, LostReason, Measurement, Meter, Metric, Sample, Scenario, Side,
    median,
};
use serde::{Deserialize, Serialize};

/// How a trial ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum TrialOutcome {
    /// With a measurement.
    Measured(Measurement),
    /// The driver said why not.
    Refused(DriverRefusal),
    /// The driver died, hung, or answered with something that can't be true.
    Lost {
        /// What happened.
        reason: LostReason,
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
    pub outcome: TrialOutcome,
}

impl Trial {
    /// The measurement, if the trial has one.
    pub const fn measured(&self) -> Option<&Measurement> {
        match &self.outcome {
            TrialOutcome::Measured(measured) => Some(measured),
            _ => None,
        }
    }

    /// The value of the trial for each side and metric.
    ///
    /// Rates are the median over the batches (summed over threads first), so that a
    /// batch that the host disturbed does not move the trial.
    pub fn values(&self) -> Vec<(Side, Metric, f64)> {
        let Some(measured) = self.measured() else { return Vec::new() };
        let mut values = Vec::new();
        for result in &measured.sides {
            let side = result.side;
            let mut push = |metric, value| values.push((side, metric, value));
            if let Some(metric) = self.scenario.rate()
                && let Some(rate) = rate(metric, &result.samples)
            {
                push(metric, rate);
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
                    (Metric::LockOperations, counts.lock_operations.map(each)),
                    (Metric::LockWaits, counts.lock_waits.map(each)),
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
                    Side::Both | Side::Local => None,
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

/// Median rate of the batches: operations per second, or MiB per second of throughput. Batches
/// of several threads are each thread's median, summed.
fn rate(metric: Metric, samples: &[Sample]) -> Option<f64> {
    const MIB: f64 = 1_048_576.0;
    let one = |sample: &Sample| {
        let amount = if metric == Metric::Throughput {
            sample.bytes as f64 / MIB
        } else {
            sample.operations as f64
        };
        amount * 1e9 / sample.nanoseconds as f64
    };
    let threads = samples.iter().map(|sample| sample.thread).max()? + 1;
    (0..threads)
        .map(|thread| {
            let timed = samples.iter().filter(|s| s.thread == thread && s.nanoseconds > 0);
            median(&timed.map(one).collect::<Vec<f64>>())
        })
        .sum()
}

#[cfg(test)]
pub(crate) mod tests;
