//! Counters of the host at one moment.

use super::{CounterDelta, hottest};
use crate::{CpuSet, HostRoot, probes, root::is_numbered};
use shakedown_protocol::counters::{self, CpuTicks};
use std::{collections::BTreeMap, fs::File, os::unix::fs::FileExt, time::Duration};

/// Counters of the host at one moment; `None` where the host does not have them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostCounters {
    throttles: Option<u64>,
    pressure_us: [Option<u64>; 3],
    /// Of the watched CPUs together.
    ticks: Option<CpuTicks>,
    interrupts: Option<u64>,
    deep_idles: Option<u64>,
    memory_errors: Option<u64>,
    smis: Option<u64>,
    temperature_mc: Option<i64>,
    /// Of each CPU: cycles done, cycles at the reference rate, and that rate in kHz.
    cycles: BTreeMap<u32, (u64, u64, u64)>,
}

const CPU: &str = "sys/devices/system/cpu";
/// Model-specific registers: see volume 4 of Intel's manual, and AMD's programming manual.
const MPERF: u64 = 0xe7;
const APERF: u64 = 0xe8;
const SMI_COUNT: u64 = 0x34;

impl HostCounters {
    /// Reads the totals of these CPUs and of the host.
    pub fn take(root: &HostRoot, cpus: &CpuSet) -> Self {
        let pressure = |what| pressure(root, what);
        Self {
            throttles: sum(cpus.iter().map(|cpu| throttles(root, cpu))),
            pressure_us: ["cpu", "memory", "io"].map(pressure),
            ticks: ticks(root, cpus),
            interrupts: interrupts(root, cpus),
            deep_idles: sum(cpus.iter().map(|cpu| deep_idles(root, cpu))),
            memory_errors: probes::memory_errors(root),
            smis: smis(root, cpus),
            temperature_mc: hottest(root),
            cycles: cpus.iter().filter_map(|cpu| Some((cpu, cycles(root, cpu)?))).collect(),
        }
    }

    /// The difference to earlier counters.
    pub fn since(&self, before: &Self, span: Duration) -> CounterDelta {
        let grown = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        let share = |index: usize| {
            let us = grown(self.pressure_us[index], before.pressure_us[index])?;
            // The two clocks are not read at once.
            Some((us as f64 / span.as_micros().max(1) as f64).min(1.0))
        };
        let steal = self.ticks.zip(before.ticks).and_then(|(now, before)| {
            let all = now.all.checked_sub(before.all).filter(|ticks| *ticks > 0)?;
            Some(now.stolen.saturating_sub(before.stolen) as f64 / all as f64)
        });
        let khz = self.cycles.iter().filter_map(|(cpu, now)| {
            let (then, base) = (before.cycles.get(cpu)?, now.2);
            let done = now.0.checked_sub(then.0)?;
            let reference = now.1.checked_sub(then.1).filter(|cycles| *cycles > 0)?;
            let khz = u128::from(done) * u128::from(base) / u128::from(reference);
            Some((*cpu, u64::try_from(khz).ok()?))
        });
        CounterDelta {
            span_ms: u64::try_from(span.as_millis()).unwrap_or(u64::MAX),
            throttles: grown(self.throttles, before.throttles),
            khz: khz.collect(),
            pressure_cpu: share(0),
            pressure_memory: share(1),
            pressure_io: share(2),
            steal,
            interrupts: grown(self.interrupts, before.interrupts),
            deep_idles: grown(self.deep_idles, before.deep_idles),
            memory_errors: grown(self.memory_errors, before.memory_errors),
            smis: grown(self.smis, before.smis),
            temperature_mc: self.temperature_mc,
            messages: vec![],
        }
    }
}

/// The sum of the known numbers; `None` if none is known.
fn sum(numbers: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    numbers.flatten().fold(None, |sum, number| Some(sum.unwrap_or(0) + number))
}

fn number(root: &HostRoot, path: &str) -> Option<u64> {
    root.read(path)?.parse().ok()
}

fn throttles(root: &HostRoot, cpu: u32) -> Option<u64> {
    let folder = format!("{CPU}/cpu{cpu}/thermal_throttle");
    let core = number(root, &format!("{folder}/core_throttle_count"))?;
    Some(core + number(root, &format!("{folder}/package_throttle_count")).unwrap_or(0))
}

fn pressure(root: &HostRoot, what: &str) -> Option<u64> {
    counters::pressure_us(&root.read(&format!("proc/pressure/{what}"))?)
}

/// Ticks of those of the CPUs that are there.
fn ticks(root: &HostRoot, cpus: &CpuSet) -> Option<CpuTicks> {
    let text = root.read("proc/stat")?;
    let found = cpus.iter().filter_map(|cpu| counters::ticks(&text, Some(cpu)));
    found.reduce(|sum, one| CpuTicks { stolen: sum.stolen + one.stolen, all: sum.all + one.all })
}

/// Interrupts of all kinds that came to these CPUs.
fn interrupts(root: &HostRoot, cpus: &CpuSet) -> Option<u64> {
    let text = root.read("proc/interrupts")?;
    let mut lines = text.lines();
    let columns: Vec<u32> = lines
        .next()?
        .split_whitespace()
        .filter_map(|name| name.strip_prefix("CPU")?.parse().ok())
        .collect();
    let line = |line: &str| -> u64 {
        let counts = line.split_whitespace().skip(1).zip(&columns);
        counts
            .filter(|(_, cpu)| cpus.contains(**cpu))
            .filter_map(|(n, _)| n.parse::<u64>().ok())
            .sum()
    };
    Some(lines.map(line).sum())
}

fn deep_idles(root: &HostRoot, cpu: u32) -> Option<u64> {
    let folder = format!("{CPU}/cpu{cpu}/cpuidle");
    let states = root.names(&folder).into_iter().filter(|name| is_numbered(name, "state"));
    sum(states.map(|state| {
        let latency = number(root, &format!("{folder}/{state}/latency"))?;
        if latency > 1 { number(root, &format!("{folder}/{state}/usage")) } else { Some(0) }
    }))
}

/// The CPPC counters where there are some, which need no privilege, or else the processor's
/// registers.
fn cycles(root: &HostRoot, cpu: u32) -> Option<(u64, u64, u64)> {
    let folder = format!("{CPU}/cpu{cpu}/acpi_cppc");
    if let Some(text) = root.read(&format!("{folder}/feedback_ctrs")) {
        let field =
            |name: &str| text.split_whitespace().find_map(|w| w.strip_prefix(name)?.parse().ok());
        let of = |name: &str| number(root, &format!("{folder}/{name}"));
        let (reference, nominal) = (of("reference_perf")?, of("nominal_perf")?);
        // The reference counter runs at the share `reference` of the nominal rate.
        let base = of("nominal_freq")? * 1000 * reference / nominal.max(1);
        return Some((field("del:")?, field("ref:")?, base));
    }
    let base = number(root, &format!("{CPU}/cpufreq/policy{cpu}/base_frequency"))
        .or_else(|| Some(number(root, &format!("{folder}/nominal_freq"))? * 1000))?;
    Some((register(root, cpu, APERF)?, register(root, cpu, MPERF)?, base))
}

fn smis(root: &HostRoot, cpus: &CpuSet) -> Option<u64> {
    // Intel only; each CPU counts the same ones.
    let info = root.read("proc/cpuinfo")?;
    info.contains("GenuineIntel").then(|| register(root, cpus.iter().next()?, SMI_COUNT))?
}

/// A register of a CPU; needs to be root, and the module `msr`.
fn register(root: &HostRoot, cpu: u32, address: u64) -> Option<u64> {
    let file = File::open(root.path(&format!("dev/cpu/{cpu}/msr"))).ok()?;
    let mut bytes = [0; 8];
    file.read_exact_at(&mut bytes, address).ok()?;
    Some(u64::from_le_bytes(bytes))
}
