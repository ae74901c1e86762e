//! Readings that take more than one file.

use crate::{CpuSet, HostRoot, KnobProbe, assign, root::is_numbered, swap};
use shakedown_protocol::counters;
use std::{collections::BTreeSet, io};

/// What a probe reads; `None` where the machine does not have it.
type ProbeResult = io::Result<Option<String>>;

/// Reads a probe.
pub(crate) fn read(root: &HostRoot, probe: KnobProbe, programs: &[String]) -> ProbeResult {
    match probe {
        KnobProbe::Swap => Ok(swap::devices(root)?.map(|devices| listed(devices.into_iter()))),
        KnobProbe::Isolated => isolated(root),
        KnobProbe::Mitigations => mitigations(root),
        KnobProbe::Running => running(root, programs),
        KnobProbe::Pressure => pressure(root),
        KnobProbe::Throttles => throttles(root),
        KnobProbe::MemoryErrors => Ok(memory_errors(root).map(|count| count.to_string())),
        KnobProbe::Steal => steal(root),
    }
}

/// Whether what a probe found is what a quiet host has.
pub(crate) fn holds(probe: KnobProbe, found: &str) -> bool {
    match probe {
        KnobProbe::Swap | KnobProbe::Running => found == "none",
        KnobProbe::Isolated => found != "none",
        KnobProbe::Pressure => found
            .strip_suffix(" %")
            .and_then(|percent| percent.parse::<f64>().ok())
            .is_some_and(|percent| percent < 1.0),
        KnobProbe::Mitigations
        | KnobProbe::Throttles
        | KnobProbe::MemoryErrors
        | KnobProbe::Steal => true,
    }
}

fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn isolated(root: &HostRoot) -> ProbeResult {
    let can = [
        "sys/fs/cgroup/cgroup.controllers",
        "sys/fs/cgroup/cpuset",
        "sys/devices/system/cpu/isolated",
    ];
    if !can.iter().any(|path| root.has(path)) {
        return Ok(None);
    }
    Ok(Some(assign::isolated(root).as_ref().map_or_else(|| "none".to_owned(), CpuSet::to_string)))
}

fn mitigations(root: &HostRoot) -> ProbeResult {
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
fn running(root: &HostRoot, names: &[String]) -> ProbeResult {
    let processes = root.names("proc");
    let found: BTreeSet<String> = processes
        .iter()
        .filter(|name| is_numbered(name, ""))
        .filter_map(|name| root.read(&format!("proc/{name}/comm")))
        .filter(|command| names.contains(command))
        .collect();
    Ok(Some(listed(found.into_iter())))
}

/// Share of the last ten seconds in which some task waited for a CPU, in percent.
fn pressure(root: &HostRoot) -> ProbeResult {
    let text = root.try_read("proc/pressure/cpu")?;
    Ok(text.and_then(|text| counters::pressure_now(&text).map(|percent| format!("{percent} %"))))
}

fn throttles(root: &HostRoot) -> ProbeResult {
    let folder = "sys/devices/system/cpu";
    let count = |name: &String| {
        root.read(&format!("{folder}/{name}/thermal_throttle/core_throttle_count"))?.parse().ok()
    };
    let counts: Vec<u64> = root.names(folder).iter().filter_map(count).collect();
    Ok((!counts.is_empty()).then(|| counts.iter().sum::<u64>().to_string()))
}

/// Corrected and uncorrected errors of the memory; `None` where nothing counts them.
pub(crate) fn memory_errors(root: &HostRoot) -> Option<u64> {
    let folder = "sys/devices/system/edac/mc";
    let names = root.names(folder);
    let controllers = names.iter().filter(|name| is_numbered(name, "mc"));
    let counts: Vec<u64> = controllers
        .flat_map(|name| ["ce_count", "ue_count"].map(|kind| format!("{folder}/{name}/{kind}")))
        .filter_map(|path| root.read(&path)?.parse().ok())
        .collect();
    (!counts.is_empty()).then(|| counts.iter().sum())
}

/// Time that the hypervisor took, in seconds: ticks are 100 a second on all that we run on.
fn steal(root: &HostRoot) -> ProbeResult {
    let text = root.try_read("proc/stat")?;
    let ticks = text.and_then(|text| counters::ticks(&text, None));
    Ok(ticks.map(|ticks| format!("{:.1} s", ticks.stolen as f64 / 100.0)))
}
