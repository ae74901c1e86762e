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
use std::time::{Duration, Instant};

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

    /// Shares of the time that something else took, where they are worth a word; none on a quiet
    /// host.
    pub fn lost_time(&self) -> Vec<(LostTime, f64)> {
        let shares = [
            (LostTime::Cpu, self.pressure_cpu, PRESSURE),
            (LostTime::Memory, self.pressure_memory, PRESSURE),
            (LostTime::Storage, self.pressure_io, PRESSURE),
            (LostTime::Stolen, self.steal, STEAL),
        ];
        let above = |(kind, share, limit): (LostTime, Option<f64>, f64)| {
            share.filter(|share| *share > limit).map(|share| (kind, share))
        };
        shares.into_iter().filter_map(above).collect()
    }
}

/// What time was lost to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LostTime {
    /// Tasks waited for a CPU.
    Cpu,
    /// Tasks waited for memory.
    Memory,
    /// Tasks waited for storage.
    Storage,
    /// The hypervisor ran something else.
    Stolen,
}

/// Watches a host, interval by interval.
#[derive(Debug)]
pub struct Watch {
    root: HostRoot,
    cpus: CpuSet,
    last: HostCounters,
    last_at: Instant,
    log: Option<KernelLog>,
}

impl Watch {
    /// Starts to watch these CPUs.
    pub fn new(root: &HostRoot, cpus: CpuSet) -> Self {
        let last = HostCounters::take(root, &cpus);
        let log = KernelLog::open(root);
        Self { root: root.clone(), cpus, last, last_at: Instant::now(), log }
    }

    /// What happened since the last call, or since the beginning.
    pub fn delta(&mut self) -> CounterDelta {
        let now = Instant::now();
        let span = now - std::mem::replace(&mut self.last_at, now);
        self.delta_over(span)
    }

    fn delta_over(&mut self, span: Duration) -> CounterDelta {
        let now = HostCounters::take(&self.root, &self.cpus);
        let mut difference = now.since(&self.last, span);
        difference.messages = self.log.as_mut().map(KernelLog::new_messages).unwrap_or_default();
        self.last = now;
        difference
    }
}

#[cfg(test)]
mod tests;
