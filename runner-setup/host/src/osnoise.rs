//! Measures with the kernel's tracers what takes time from the benchmark CPUs. `osnoise` keeps each CPU
//! busy and reports every interruption with its cause. `hwlat` does so with interrupts off and finds
//! time that the firmware takes.
//!
//! Both keep the CPUs busy, so nothing else can be measured at the same time. See
//! <https://docs.kernel.org/trace/osnoise-tracer.html> and
//! <https://docs.kernel.org/trace/hwlat_detector.html>.

use crate::{CpuSet, HostRoot};
use serde::Serialize;
use std::{collections::BTreeMap, io, thread, time::Duration};

/// The results of both tracers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OsnoiseReport {
    /// CPUs that were watched.
    pub cpus: String,
    /// Interruptions of each CPU.
    pub osnoise: TracerResult<Vec<CpuNoise>>,
    /// Gaps in which nothing ran.
    pub hwlat: TracerResult<HardwareLatency>,
}

/// The result of a tracer, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TracerResult<T> {
    /// It ran.
    Measured(T),
    /// This kernel was built without it.
    Unavailable,
    /// It could not be used.
    Failed {
        /// Why, and what to do.
        why: String,
    },
}

/// Interruptions of one CPU.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct CpuNoise {
    /// The CPU.
    pub cpu: u32,
    /// Time watched, in microseconds.
    pub span_us: u64,
    /// Time taken away, in microseconds.
    pub noise_us: u64,
    /// The longest single interruption, in microseconds.
    pub longest_us: u64,
    /// Interruptions that the kernel did not see: firmware, a hypervisor, a sibling thread.
    pub hardware: u64,
    /// Non-maskable interrupts.
    pub nmis: u64,
    /// Interrupts.
    pub irqs: u64,
    /// Deferred work of interrupts.
    pub softirqs: u64,
    /// Times that another thread ran.
    pub threads: u64,
}

/// Gaps in which nothing ran, not even the kernel.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct HardwareLatency {
    /// How many.
    pub count: u64,
    /// The longest, in microseconds.
    pub longest_us: u64,
}

/// Folder of the tracers; below debugfs on older systems.
const FOLDERS: [&str; 2] = ["sys/kernel/tracing", "sys/kernel/debug/tracing"];

/// Runs both tracers on these CPUs, one after the other, for `span` each.
pub fn trace_noise(root: &HostRoot, cpus: &CpuSet, span: Duration) -> OsnoiseReport {
    let list = [("osnoise/cpus", cpus.to_string())];
    let mask = [("tracing_cpumask", cpus.to_mask())];
    OsnoiseReport {
        cpus: cpus.to_string(),
        osnoise: trace(root, "osnoise", &list, span).map(|text| interruptions(&text)),
        hwlat: trace(root, "hwlat", &mask, span).map(|text| hardware_latency(&text)),
    }
}

impl<T> TracerResult<T> {
    fn map<U>(self, told: impl FnOnce(T) -> U) -> TracerResult<U> {
        match self {
            Self::Measured(found) => TracerResult::Measured(told(found)),
            Self::Unavailable => TracerResult::Unavailable,
            Self::Failed { why } => TracerResult::Failed { why },
        }
    }
}

/// Settings of the tracers, restored on drop.
struct TracerSettings<'a> {
    root: &'a HostRoot,
    was: Vec<(String, String)>,
}

impl TracerSettings<'_> {
    fn set(&mut self, path: String, text: &str) -> io::Result<()> {
        let was = self.root.try_read(&path)?.unwrap_or_default();
        self.root.write(&path, text)?;
        self.was.push((path, was));
        Ok(())
    }
}

impl Drop for TracerSettings<'_> {
    fn drop(&mut self) {
        for (path, was) in self.was.drain(..).rev() {
            let _ = self.root.write(&path, &was);
        }
    }
}

/// Runs a tracer for a while and returns what it wrote.
fn trace(
    root: &HostRoot,
    name: &str,
    about: &[(&str, String)],
    span: Duration,
) -> TracerResult<String> {
    let run = || -> io::Result<TracerResult<String>> {
        let mut known = None;
        for folder in FOLDERS {
            let tracers = root.try_read(&format!("{folder}/available_tracers"))?;
            known = known.or_else(|| tracers.map(|tracers| (folder, tracers)));
        }
        let Some((folder, tracers)) = known else { return Ok(TracerResult::Unavailable) };
        if !tracers.split_whitespace().any(|tracer| tracer == name) {
            return Ok(TracerResult::Unavailable);
        }
        let current = format!("{folder}/current_tracer");
        let busy = root.try_read(&current)?.unwrap_or_default();
        if busy != "nop" {
            return Ok(TracerResult::Failed {
                why: format!("the tracer `{busy}` is at work: end it with `echo nop >/{current}`"),
            });
        }
        let mut set = TracerSettings { root, was: vec![] };
        for (file, text) in about {
            set.set(format!("{folder}/{file}"), text)?;
        }
        // Choosing a tracer empties the buffer.
        set.set(current, name)?;
        thread::sleep(span);
        Ok(TracerResult::Measured(root.try_read(&format!("{folder}/trace"))?.unwrap_or_default()))
    };
    run().unwrap_or_else(|error| {
        let hint =
            if error.kind() == io::ErrorKind::PermissionDenied { ": run as root" } else { "" };
        TracerResult::Failed { why: format!("{error}{hint}") }
    })
}

/// The CPU of a line of the trace, and what stands behind its time.
fn line(text: &str) -> Option<(u32, &str)> {
    let (_, rest) = text.split_once('[')?;
    let (cpu, rest) = rest.split_once(']')?;
    // TASK-PID [CPU] flags TIME: WHAT
    let (_, what) = rest.split_once(": ")?;
    Some((cpu.trim().parse().ok()?, what.trim()))
}

/// A line a second and CPU: time watched, noise, share left, longest; then what it was.
fn interruptions(text: &str) -> Vec<CpuNoise> {
    let mut all = BTreeMap::<u32, CpuNoise>::new();
    for (cpu, what) in text.lines().filter(|text| !text.starts_with('#')).filter_map(line) {
        let fields: Vec<&str> = what.split_whitespace().collect();
        let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
        let read = || {
            Some(CpuNoise {
                cpu,
                span_us: number(0)?,
                noise_us: number(1)?,
                longest_us: number(3)?,
                hardware: number(4)?,
                nmis: number(5)?,
                irqs: number(6)?,
                softirqs: number(7)?,
                threads: number(8)?,
            })
        };
        let Some(one) = read() else { continue };
        let sum = all.entry(cpu).or_insert(CpuNoise { cpu, ..CpuNoise::default() });
        *sum = CpuNoise {
            cpu,
            span_us: sum.span_us.saturating_add(one.span_us),
            noise_us: sum.noise_us.saturating_add(one.noise_us),
            longest_us: sum.longest_us.max(one.longest_us),
            hardware: sum.hardware.saturating_add(one.hardware),
            nmis: sum.nmis.saturating_add(one.nmis),
            irqs: sum.irqs.saturating_add(one.irqs),
            softirqs: sum.softirqs.saturating_add(one.softirqs),
            threads: sum.threads.saturating_add(one.threads),
        };
    }
    all.into_values().collect()
}

/// `#1  inner/outer(us):   11/12  ts:... count:6`: the longest gap within and between two
/// looks, and how often in this window; older kernels don't tell the last.
fn hardware_latency(text: &str) -> HardwareLatency {
    let mut all = HardwareLatency::default();
    for (_, what) in text.lines().filter(|text| !text.starts_with('#')).filter_map(line) {
        let Some((_, rest)) = what.split_once("inner/outer(us):") else { continue };
        let Some(pair) = rest.split_whitespace().next() else { continue };
        let longest = pair.split('/').filter_map(|us| us.parse().ok()).max().unwrap_or(0);
        let count =
            rest.split_whitespace().find_map(|word| word.strip_prefix("count:")?.parse().ok());
        all.count = all.count.saturating_add(count.unwrap_or(1));
        all.longest_us = all.longest_us.max(longest);
    }
    all
}

#[cfg(test)]
mod tests;
