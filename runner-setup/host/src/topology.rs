//! Which CPUs there are, and how they belong together.

use crate::{CpuSet, HostRoot};
use std::collections::BTreeMap;

const CPU: &str = "sys/devices/system/cpu";

/// CPUs that are online.
pub(crate) fn online(root: &HostRoot) -> CpuSet {
    CpuSet::parse_lossy(&root.read(&format!("{CPU}/online")).unwrap_or_default())
}

/// CPUs that were isolated by the boot parameter `isolcpus`.
pub(crate) fn isolated_at_boot(root: &HostRoot) -> CpuSet {
    CpuSet::parse_lossy(&root.read(&format!("{CPU}/isolated")).unwrap_or_default())
}

/// CPUs by core, in order of their first CPU.
pub(crate) fn cores(root: &HostRoot, cpus: &CpuSet) -> Vec<CpuSet> {
    let mut cores = BTreeMap::<u32, CpuSet>::new();
    for cpu in cpus.iter() {
        let path = format!("{CPU}/cpu{cpu}/topology/thread_siblings_list");
        let listed = root.read(&path).map(|list| CpuSet::parse_lossy(&list)).unwrap_or_default();
        let siblings =
            if listed.contains(cpu) { listed.and(cpus) } else { [cpu].into_iter().collect() };
        let first = siblings.iter().next().unwrap_or(cpu);
        cores.entry(first).or_insert(siblings);
    }
    cores.into_values().collect()
}

/// The memory node of a CPU.
pub(crate) fn node(root: &HostRoot, cpu: u32) -> Option<u32> {
    let names = root.names(&format!("{CPU}/cpu{cpu}"));
    names.iter().find_map(|name| name.strip_prefix("node")?.parse().ok())
}
