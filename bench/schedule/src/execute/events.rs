//! What the processor and the kernel count in processes of ours (`perf_event_open(2)`).

use perf_event::{
    Builder, Counter,
    events::{Cache, CacheId, CacheOp, CacheResult, Event, Hardware},
};
use std::{collections::BTreeMap, io};

/// Whether this machine lets a process count its instructions.
pub(crate) fn counts_instructions() -> bool {
    Builder::new(Hardware::INSTRUCTIONS).build().is_ok()
}

/// Counters of misses in caches and of mispredicted branches, in user mode: of this thread, and of all
/// processes that it begins while they are open.
#[derive(Debug, Default)]
pub(crate) struct EventCounters(Vec<(&'static str, Counter)>);

impl EventCounters {
    /// Opens those that this machine has and allows; virtual machines often have none. Four, as a
    /// processor with SMT has no more counters for a thread, and shares of the time are not extrapolated.
    pub fn of_misses() -> Self {
        let misses = |which| Cache { which, operation: CacheOp::READ, result: CacheResult::MISS };
        let mut counters = Self::default();
        counters.add("L1-dcache-load-misses", misses(CacheId::L1D));
        counters.add("L1-icache-load-misses", misses(CacheId::L1I));
        counters.add("cache-misses", Hardware::CACHE_MISSES);
        counters.add("branch-misses", Hardware::BRANCH_MISSES);
        counters
    }

    /// Opens a counter under its name in `perf list`, if there is one.
    fn add<E: Event>(&mut self, name: &'static str, event: E) {
        if let Ok(counter) = Builder::new(event).inherit(true).enabled(true).build() {
            self.0.push((name, counter));
        }
    }

    /// What was counted so far, by the events' names in `perf list`. Processes count once they have ended. A
    /// counter that had to share the processor's register with others is left out.
    pub fn read(&mut self) -> io::Result<BTreeMap<String, u64>> {
        let mut counts = BTreeMap::new();
        for (name, counter) in &mut self.0 {
            let data = counter.read_full()?;
            if data.time_running() == data.time_enabled() {
                counts.insert((*name).to_owned(), data.count());
            }
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use perf_event::events::Software;
    use std::process::Command;

    /// Events of the kernel need no counter of the processor, so that this runs on virtual machines.
    #[test]
    fn processes_that_this_thread_begins_are_counted() {
        // Debian's kernels allow counters to root only (`kernel.perf_event_paranoid` of 3), containers to nobody.
        let forbidden = |error: io::Error| error.kind() == io::ErrorKind::PermissionDenied;
        if Builder::new(Software::PAGE_FAULTS).build().is_err_and(forbidden) {
            eprintln!("not tested: this machine forbids counters");
            return;
        }
        let mut counters = EventCounters::default();
        counters.add("page-faults", Software::PAGE_FAULTS);
        assert_eq!(counters.0.len(), 1);
        let mut counted = |processes: u32| {
            let before = counters.read().unwrap()["page-faults"];
            for _ in 0..processes {
                assert!(Command::new("true").status().unwrap().success());
            }
            counters.read().unwrap()["page-faults"] - before
        };
        // The first one faults in what this thread needs to begin processes.
        counted(1);
        let (ten, twenty) = (counted(10), counted(20));
        // Each faults in its program, its stack and its C library.
        assert!(ten >= 100, "{ten}");
        assert!(twenty.abs_diff(2 * ten) < ten / 2, "{ten}, {twenty}");
    }
}
