//! What a host does during a measurement: the difference between counters at two moments.
//!
//! Each trial's own share (its CPU's pressure, steal, throttling and frequency) is in the
//! record, taken by the scheduler around every process. This here is for the host as a whole:
//! between and during runs, and for what no trial can see, such as messages of the kernel.

mod counters;
mod kmsg;
mod temperature;

pub use counters::HostCounters;
pub use kmsg::KernelLog;
pub use temperature::{CoolDown, cool_down, hottest};

use crate::{CpuSet, HostRoot};
use serde::Serialize;
use std::time::Duration;

/// What happened between two readings; `None` where the host does not tell.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct CounterDelta {
    /// Time between them, in milliseconds.
    pub span_ms: u64,
    /// Throttle events of the cores and packages.
    pub throttles: Option<u64>,
    /// Mean effective frequency of each CPU while it was not idle, in kHz.
    pub khz: Vec<(u32, u64)>,
    /// Share of the time in which some task waited for a CPU.
    pub pressure_cpu: Option<f64>,
    /// The same for memory.
    pub pressure_memory: Option<f64>,
    /// The same for storage.
    pub pressure_io: Option<f64>,
    /// Share of the CPUs' time that the hypervisor took.
    pub steal: Option<f64>,
    /// Interrupts that came to these CPUs.
    pub interrupts: Option<u64>,
    /// Times that these CPUs went into an idle state that takes more than a microsecond to
    /// wake from.
    pub deep_idles: Option<u64>,
    /// Memory errors.
    pub memory_errors: Option<u64>,
    /// System management interrupts: the firmware took the machine away.
    pub smis: Option<u64>,
    /// Temperature of the hottest sensor at the end, in thousandths of a degree Celsius.
    pub temperature_mc: Option<i64>,
    /// Warnings and errors of the kernel.
    pub messages: Vec<String>,
}

/// Share of the time above which waiting is worth a word.
const PRESSURE: f64 = 0.01;
/// Share of stolen time above which it is.
const STEAL: f64 = 0.005;

impl CounterDelta {
    /// Events that need attention: throttling, memory errors, system management interrupts, kernel
    /// warnings.
    pub fn alarms(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut count = |number: Option<u64>, words: &str| {
            if let Some(number) = number.filter(|number| *number > 0) {
                found.push(format!("{number} {words}"));
            }
        };
        count(self.throttles, "throttle events");
        count(self.memory_errors, "memory errors");
        count(self.smis, "system management interrupts");
        found.extend(self.messages.iter().map(|text| format!("kernel: {text}")));
        found
    }

    /// Alarms and disturbances, for people; empty on a quiet host.
    pub fn findings(&self) -> Vec<String> {
        let mut found = self.alarms();
        let mut share = |share: Option<f64>, limit: f64, words: &str| {
            if let Some(share) = share.filter(|share| *share > limit) {
                found.push(format!("{words} {:.1} % of the time", share * 100.0));
            }
        };
        share(self.pressure_cpu, PRESSURE, "tasks waited for a CPU");
        share(self.pressure_memory, PRESSURE, "tasks waited for memory");
        share(self.pressure_io, PRESSURE, "tasks waited for storage");
        share(self.steal, STEAL, "the hypervisor took");
        found
    }
}

/// Watches a host, interval by interval.
#[derive(Debug)]
pub struct Watch {
    root: HostRoot,
    cpus: CpuSet,
    last: HostCounters,
    log: Option<KernelLog>,
}

impl Watch {
    /// Starts to watch these CPUs.
    pub fn new(root: &HostRoot, cpus: CpuSet) -> Self {
        let last = HostCounters::take(root, &cpus);
        Self { root: root.clone(), cpus, last, log: KernelLog::open(root) }
    }

    /// What happened since the last call, or since the beginning. `span` is the time since
    /// then.
    pub fn next(&mut self, span: Duration) -> CounterDelta {
        let now = HostCounters::take(&self.root, &self.cpus);
        let mut difference = now.since(&self.last, span);
        difference.messages = self.log.as_mut().map(KernelLog::new_messages).unwrap_or_default();
        self.last = now;
        difference
    }
}

#[cfg(test)]
mod tests;
