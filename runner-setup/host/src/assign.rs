//! Which CPUs are measured on, and which do everything else.

use crate::{Cpus, HostRoot, partition};
use std::collections::BTreeMap;

/// The two halves of a machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assignment {
    /// CPUs for benchmarks; none on a machine with one core.
    pub benchmark: Cpus,
    /// CPUs for everything else.
    pub housekeeping: Cpus,
}

const CPU: &str = "sys/devices/system/cpu";

/// CPUs that are online.
pub(crate) fn online(root: &HostRoot) -> Cpus {
    Cpus::lenient(&root.read(&format!("{CPU}/online")).unwrap_or_default())
}

/// CPUs that are kept free now: by our cgroup, by any other, or by the boot line.
pub fn isolated(root: &HostRoot) -> Option<Cpus> {
    let ours = partition::cpus(root);
    let read = |path: &str| Some(Cpus::lenient(&root.read(path)?)).filter(|cpus| !cpus.is_empty());
    ours.or_else(|| read("sys/fs/cgroup/cpuset.cpus.isolated"))
        .or_else(|| read(&format!("{CPU}/isolated")))
}

impl Assignment {
    /// What is so now, or else what `tune` would choose.
    pub fn of(root: &HostRoot) -> Self {
        isolated(root).map_or_else(|| Self::choose(root), |cpus| Self::with(root, &cpus))
    }

    /// With these benchmark CPUs, as far as they are online.
    pub fn with(root: &HostRoot, benchmark: &Cpus) -> Self {
        let online = online(root);
        let benchmark = online.and(benchmark);
        let housekeeping = online.without(&benchmark);
        Self { benchmark, housekeeping }
    }

    /// The upper half of the cores of one memory node, without the first core, which has most
    /// interrupts; on a hybrid processor the fast ones only. Whole cores: a sibling thread
    /// would share what is measured.
    pub fn choose(root: &HostRoot) -> Self {
        let online = online(root);
        let fast = root.read("sys/devices/cpu_core/cpus").map(|list| Cpus::lenient(&list));
        let usable = fast.map_or_else(|| online.clone(), |fast| online.and(&fast));
        let cores = cores(root, &usable);
        let first =
            cores.iter().position(|core| online.iter().next().is_some_and(|c| core.contains(c)));
        let half = cores.len() / 2;
        let node = cores.last().and_then(|core| node(root, core.iter().next()?));
        let chosen = cores.iter().enumerate().filter(|(index, core)| {
            *index >= cores.len() - half
                && Some(*index) != first
                && core.iter().next().and_then(|cpu| self::node(root, cpu)) == node
        });
        let benchmark: Cpus = chosen.flat_map(|(_, core)| core.iter()).collect();
        Self::with(root, &benchmark)
    }
}

/// CPUs by core, in order of their first CPU.
fn cores(root: &HostRoot, cpus: &Cpus) -> Vec<Cpus> {
    let mut cores = BTreeMap::<u32, Cpus>::new();
    for cpu in cpus.iter() {
        let path = format!("{CPU}/cpu{cpu}/topology/thread_siblings_list");
        let listed = root.read(&path).map(|list| Cpus::lenient(&list)).unwrap_or_default();
        let siblings =
            if listed.contains(cpu) { listed.and(cpus) } else { [cpu].into_iter().collect() };
        let first = siblings.iter().next().unwrap_or(cpu);
        cores.entry(first).or_insert(siblings);
    }
    cores.into_values().collect()
}

fn node(root: &HostRoot, cpu: u32) -> Option<u32> {
    let names = root.names(&format!("{CPU}/cpu{cpu}"));
    names.iter().find_map(|name| name.strip_prefix("node")?.parse().ok())
}
