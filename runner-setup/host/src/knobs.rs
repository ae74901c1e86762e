//! Every setting that moves measurements: where it stands, what a quiet host has, and what to
//! do about it. The order is that in which they are set and checked.

use crate::{HostRoot, root::is_numbered};
use protocol::{Knob, KnobState};
use std::{collections::BTreeSet, io};

/// What is found of a knob: nothing where the machine does not have it.
type Found = io::Result<Option<String>>;

/// How a knob is read.
enum Read {
    /// The text of one file.
    File(&'static str),
    /// Something that takes more than one file.
    With(fn(&HostRoot) -> Found),
}

/// What a quiet host has.
enum Want {
    /// One of these; the first is the one to aim at.
    Text(&'static [&'static str]),
    /// Something that is told by looking, described in words.
    Holds(&'static str, fn(&str) -> bool),
    /// Nothing: it is only recorded.
    Record,
}

struct Definition {
    name: &'static str,
    read: Read,
    want: Want,
    fix: &'static str,
    /// Whether a change of it starts a new epoch: settings do, momentary readings don't.
    lasting: bool,
}

const fn setting(name: &'static str, read: Read, want: Want, fix: &'static str) -> Definition {
    Definition { name, read, want, fix, lasting: true }
}

const fn reading(name: &'static str, read: Read, want: Want, fix: &'static str) -> Definition {
    Definition { name, read, want, fix, lasting: false }
}

const OFF: Want = Want::Text(&["off"]);
const ZERO: Want = Want::Text(&["0"]);

/// The table. Sources: the kernel's admin guide and sysctl documentation, and the pitfalls
/// that docs/method.md names.
const KNOBS: &[Definition] = &[
    setting(
        "smt",
        Read::With(smt),
        OFF,
        "echo off >/sys/devices/system/cpu/smt/control, or boot with nosmt",
    ),
    setting(
        "governor",
        Read::With(|root| each_cpu(root, "cpufreq/scaling_governor")),
        Want::Text(&["performance"]),
        "cpupower frequency-set -g performance",
    ),
    setting(
        "epp",
        Read::With(|root| each_cpu(root, "cpufreq/energy_performance_preference")),
        Want::Text(&["performance"]),
        "write performance to cpufreq/energy_performance_preference of every CPU",
    ),
    setting(
        "turbo",
        Read::With(turbo),
        OFF,
        "echo 1 >/sys/devices/system/cpu/intel_pstate/no_turbo or echo 0 >/sys/devices/system/cpu/cpufreq/boost; if that is refused, the BIOS holds it",
    ),
    setting(
        "frequency",
        Read::With(frequency),
        Want::Holds("least = most", fixed),
        "write one frequency to scaling_min_freq and scaling_max_freq of every CPU",
    ),
    setting(
        "idle-driver",
        Read::File("sys/devices/system/cpu/cpuidle/current_driver"),
        Want::Record,
        "",
    ),
    setting(
        "aslr",
        Read::File("proc/sys/kernel/randomize_va_space"),
        Want::Text(&["2"]),
        "sysctl kernel.randomize_va_space=2: it is switched per process, never for the machine",
    ),
    setting(
        "isolated-cpus",
        Read::With(isolated),
        Want::Holds("at least one CPU", |list| list != "none"),
        "give the benchmark CPUs a cgroup with cpuset.cpus.partition = isolated",
    ),
    setting("nohz-full", Read::File("sys/devices/system/cpu/nohz_full"), Want::Record, ""),
    setting(
        "workqueue-cpus",
        Read::File("sys/devices/virtual/workqueue/cpumask"),
        Want::Record,
        "",
    ),
    setting(
        "nmi-watchdog",
        Read::File("proc/sys/kernel/nmi_watchdog"),
        ZERO,
        "sysctl kernel.nmi_watchdog=0",
    ),
    setting(
        "soft-watchdog",
        Read::File("proc/sys/kernel/soft_watchdog"),
        ZERO,
        "sysctl kernel.soft_watchdog=0",
    ),
    setting(
        "timer-migration",
        Read::File("proc/sys/kernel/timer_migration"),
        ZERO,
        "sysctl kernel.timer_migration=0",
    ),
    setting(
        "numa-balancing",
        Read::File("proc/sys/kernel/numa_balancing"),
        ZERO,
        "sysctl kernel.numa_balancing=0",
    ),
    setting(
        "vm-stat-interval",
        Read::File("proc/sys/vm/stat_interval"),
        Want::Holds("10 or more", |text| text.parse::<u64>().is_ok_and(|seconds| seconds >= 10)),
        "sysctl vm.stat_interval=10",
    ),
    setting(
        "huge-pages",
        Read::With(|root| chosen(root, "sys/kernel/mm/transparent_hugepage/enabled")),
        Want::Text(&["never"]),
        "echo never >/sys/kernel/mm/transparent_hugepage/enabled",
    ),
    setting(
        "same-page-merging",
        Read::File("sys/kernel/mm/ksm/run"),
        ZERO,
        "echo 0 >/sys/kernel/mm/ksm/run",
    ),
    setting(
        "swap",
        Read::With(swap),
        Want::Text(&["none"]),
        "swapoff -a, and take the swap out of /etc/fstab",
    ),
    setting(
        "perf-paranoid",
        Read::File("proc/sys/kernel/perf_event_paranoid"),
        Want::Text(&["-1"]),
        "sysctl kernel.perf_event_paranoid=-1",
    ),
    setting(
        "clocksource",
        Read::File("sys/devices/system/clocksource/clocksource0/current_clocksource"),
        Want::Text(&["tsc", "arch_sys_counter"]),
        "boot with tsc=reliable if the kernel gave the TSC up; a virtual machine's clock is its host's",
    ),
    setting("mitigations", Read::With(mitigations), Want::Record, ""),
    setting("performance-cpus", Read::File("sys/devices/cpu_core/cpus"), Want::Record, ""),
    reading(
        "irqbalance",
        Read::With(|root| running(root, &["irqbalance"])),
        Want::Text(&["none"]),
        "systemctl disable --now irqbalance, and move the interrupts to the housekeeping CPUs",
    ),
    reading(
        "daemons",
        Read::With(|root| running(root, NOISY)),
        Want::Text(&["none"]),
        "systemctl mask --now the timers and services that start them",
    ),
    reading(
        "cpu-pressure",
        Read::With(pressure),
        Want::Holds("below 1 %", |text| text.parse::<f64>().is_ok_and(|percent| percent < 1.0)),
        "find what else is running, with top",
    ),
    reading(
        "throttles",
        Read::With(|root| sum_of_cpus(root, "thermal_throttle/core_throttle_count")),
        Want::Record,
        "",
    ),
    reading("memory-errors", Read::With(memory_errors), Want::Record, ""),
];

/// Daemons that wake up by themselves and work hard.
const NOISY: &[&str] = &[
    "cron",
    "apt",
    "apt-get",
    "unattended-upgr",
    "packagekitd",
    "snapd",
    "fstrim",
    "mandb",
    "updatedb",
];

/// Reads every knob.
pub fn knobs(root: &HostRoot) -> Vec<Knob> {
    KNOBS.iter().map(|definition| knob(root, definition)).collect()
}

/// Whether a change of the knob starts a new epoch.
pub fn is_lasting(name: &str) -> bool {
    KNOBS.iter().any(|definition| definition.name == name && definition.lasting)
}

fn knob(root: &HostRoot, definition: &Definition) -> Knob {
    let found = match definition.read {
        Read::File(path) => root.try_read(path),
        Read::With(read) => read(root),
    };
    let (found, unreadable) = match found {
        Ok(found) => (found.filter(|text| !text.is_empty()), None),
        Err(error) => (None, Some(error)),
    };
    let (wanted, holds): (Option<String>, Option<bool>) = match (&definition.want, &found) {
        (Want::Record, _) => (None, None),
        (Want::Text(words), found) => {
            (Some(words[0].to_owned()), found.as_deref().map(|text| words.contains(&text)))
        }
        (Want::Holds(words, test), found) => {
            (Some((*words).to_owned()), found.as_deref().map(test))
        }
    };
    let state = match (&unreadable, &found, holds) {
        (Some(_), ..) => KnobState::Unreadable,
        (None, None, _) => KnobState::Absent,
        (None, Some(_), Some(true)) => KnobState::Ok,
        (None, Some(_), Some(false)) => KnobState::Differs,
        (None, Some(_), None) => KnobState::Recorded,
    };
    let fix = match (state, unreadable) {
        (KnobState::Differs, _) => definition.fix.to_owned(),
        (_, Some(error)) => format!("can't be read: {error}"),
        _ => String::new(),
    };
    Knob { name: definition.name.to_owned(), found, wanted, state, fix }
}

/// The different values that the CPUs have in a file of theirs, joined.
fn each_cpu(root: &HostRoot, file: &str) -> Found {
    let folder = "sys/devices/system/cpu";
    let mut values = BTreeSet::new();
    for name in root.names(folder).iter().filter(|name| is_numbered(name, "cpu")) {
        values.extend(root.try_read(&format!("{folder}/{name}/{file}"))?);
    }
    let values: Vec<String> = values.into_iter().collect();
    Ok((!values.is_empty()).then(|| values.join(", ")))
}

fn sum_of_cpus(root: &HostRoot, file: &str) -> Found {
    let folder = "sys/devices/system/cpu";
    let names = root.names(folder);
    let counts: Vec<u64> = names
        .iter()
        .filter_map(|name| root.read(&format!("{folder}/{name}/{file}"))?.parse().ok())
        .collect();
    Ok((!counts.is_empty()).then(|| counts.iter().sum::<u64>().to_string()))
}

fn smt(root: &HostRoot) -> Found {
    Ok(match root.try_read("sys/devices/system/cpu/smt/control")?.as_deref() {
        None | Some("notsupported" | "notimplemented") => None,
        Some("forceoff") => Some("off".to_owned()),
        // What counts is the effect: `on` without a second thread anywhere is off.
        Some("on") if root.read("sys/devices/system/cpu/smt/active").as_deref() == Some("0") => {
            Some("off".to_owned())
        }
        Some(other) => Some(other.to_owned()),
    })
}

fn turbo(root: &HostRoot) -> Found {
    let word = |on: bool| Some(if on { "on" } else { "off" }.to_owned());
    if let Some(no_turbo) = root.try_read("sys/devices/system/cpu/intel_pstate/no_turbo")? {
        return Ok(word(no_turbo == "0"));
    }
    Ok(root.try_read("sys/devices/system/cpu/cpufreq/boost")?.and_then(|boost| word(boost != "0")))
}

fn frequency(root: &HostRoot) -> Found {
    let least = each_cpu(root, "cpufreq/scaling_min_freq")?;
    let most = each_cpu(root, "cpufreq/scaling_max_freq")?;
    Ok(least.zip(most).map(|(least, most)| format!("{least} to {most} kHz")))
}

fn fixed(range: &str) -> bool {
    let range = range.trim_end_matches(" kHz");
    range.split_once(" to ").is_some_and(|(least, most)| least == most && !least.contains(','))
}

fn isolated(root: &HostRoot) -> Found {
    let by_cgroup = root.try_read("sys/fs/cgroup/cpuset.cpus.isolated")?;
    let by_boot = root.try_read("sys/devices/system/cpu/isolated")?;
    let lists = [by_cgroup, by_boot];
    if lists.iter().all(Option::is_none) {
        return Ok(None);
    }
    let list = lists.into_iter().flatten().find(|list| !list.is_empty());
    Ok(Some(list.unwrap_or_else(|| "none".to_owned())))
}

/// The bracketed choice of a file such as `always [madvise] never`.
fn chosen(root: &HostRoot, path: &str) -> Found {
    Ok(root.try_read(path)?.map(|text| {
        let inner = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
        inner.map_or(text.clone(), |(choice, _)| choice.to_owned())
    }))
}

fn swap(root: &HostRoot) -> Found {
    Ok(root.try_read("proc/swaps")?.map(|text| {
        let names: Vec<&str> =
            text.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }))
}

fn mitigations(root: &HostRoot) -> Found {
    let folder = "sys/devices/system/cpu/vulnerabilities";
    let lines: Vec<String> = root
        .names(folder)
        .iter()
        .filter_map(|name| Some(format!("{name}: {}", root.read(&format!("{folder}/{name}"))?)))
        .filter(|line| !line.ends_with("Not affected"))
        .collect();
    Ok((!lines.is_empty()).then(|| lines.join("; ")))
}

/// Which of these programs run now.
fn running(root: &HostRoot, names: &[&str]) -> Found {
    let processes = root.names("proc");
    let found: BTreeSet<String> = processes
        .iter()
        .filter(|name| is_numbered(name, ""))
        .filter_map(|name| root.read(&format!("proc/{name}/comm")))
        .filter(|command| names.contains(&command.as_str()))
        .collect();
    let found: Vec<String> = found.into_iter().collect();
    Ok(Some(if found.is_empty() { "none".to_owned() } else { found.join(", ") }))
}

/// Share of the last ten seconds in which some task waited for a CPU, in percent.
fn pressure(root: &HostRoot) -> Found {
    Ok(root.try_read("proc/pressure/cpu")?.and_then(|text| {
        let some = text.lines().find(|line| line.starts_with("some"))?;
        Some(some.split_whitespace().find_map(|part| part.strip_prefix("avg10="))?.to_owned())
    }))
}

fn memory_errors(root: &HostRoot) -> Found {
    let folder = "sys/devices/system/edac/mc";
    let mut counts = Vec::new();
    for name in root.names(folder).iter().filter(|name| is_numbered(name, "mc")) {
        for kind in ["ce_count", "ue_count"] {
            let text = root.try_read(&format!("{folder}/{name}/{kind}"))?;
            counts.extend(text.and_then(|text| text.parse::<u64>().ok()));
        }
    }
    Ok((!counts.is_empty()).then(|| counts.iter().sum::<u64>().to_string()))
}
