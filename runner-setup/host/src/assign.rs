//! Which CPUs are measured on, and which do everything else.

use crate::{
    CpuSet, HostRoot, partition,
    topology::{cores, isolated_at_boot, node, online},
};

/// The two halves of a machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assignment {
    /// CPUs for benchmarks; none on a machine with one core.
    pub benchmark: CpuSet,
    /// CPUs for everything else.
    pub housekeeping: CpuSet,
}

/// CPUs that are kept free now: by our cgroup, by any other, or by the boot line.
pub fn isolated(root: &HostRoot) -> Option<CpuSet> {
    let ours = partition::cpus(root);
    let others = root.read("sys/fs/cgroup/cpuset.cpus.isolated").unwrap_or_default();
    ours.or_else(|| Some(CpuSet::parse_lossy(&others)).filter(|cpus| !cpus.is_empty()))
        .or_else(|| Some(isolated_at_boot(root)).filter(|cpus| !cpus.is_empty()))
}

impl Assignment {
    /// What is so now, or else what `tune` would choose.
    pub fn of(root: &HostRoot) -> Self {
        isolated(root).map_or_else(|| Self::choose(root), |cpus| Self::with(root, &cpus))
    }

    /// The CPUs that are measured on: those for benchmarks, or all where there are none.
    pub fn measured(self) -> CpuSet {
        if self.benchmark.is_empty() { self.housekeeping } else { self.benchmark }
    }

    /// With these benchmark CPUs, as far as they are online.
    pub fn with(root: &HostRoot, benchmark: &CpuSet) -> Self {
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
        let fast = root.read("sys/devices/cpu_core/cpus").map(|list| CpuSet::parse_lossy(&list));
        let usable = fast.map_or_else(|| online.clone(), |fast| online.and(&fast));
        let cores = cores(root, &usable);
        let first =
            cores.iter().position(|core| online.iter().next().is_some_and(|c| core.contains(c)));
        let half = cores.len() / 2;
        let last = cores.last().and_then(|core| node(root, core.iter().next()?));
        let chosen = cores.iter().enumerate().filter(|(index, core)| {
            *index >= cores.len() - half
                && Some(*index) != first
                && core.iter().next().and_then(|cpu| node(root, cpu)) == last
        });
        let benchmark: CpuSet = chosen.flat_map(|(_, core)| core.iter()).collect();
        Self::with(root, &benchmark)
    }
}
