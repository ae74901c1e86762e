//! On which CPUs trials run.

use crate::{ScheduleError, execute::HostFiles};
use nix::{
    sched::{CpuSet, sched_getaffinity, sched_setaffinity},
    unistd::Pid,
};
use std::collections::BTreeMap;

/// Counts are taken on so many CPUs at the same time, at most: each is a process under valgrind.
const MOST_COUNTING: usize = 4;

/// The CPUs for trials, and those for this program.
#[derive(Debug)]
pub(crate) struct TrialCpus {
    /// The best one last.
    pool: Vec<u32>,
    /// How many of `pool` are kept free of other work, at its end.
    isolated: usize,
    /// The CPUs that share a core with one of `pool`, itself included; empty where the host does not tell.
    cores: BTreeMap<u32, Vec<u32>>,
}

/// Refuses a CPU that this process may not measure on: before anything is built for a run.
///
/// # Errors
/// [`ScheduleError::Unfit`], with the CPUs that it may use.
pub fn check_cpu(cpu: u32) -> Result<(), ScheduleError> {
    if usable(cpu) {
        return Ok(());
    }
    let may: Vec<String> = allowed().map_err(unfit)?.iter().map(u32::to_string).collect();
    Err(ScheduleError::Unfit(format!(
        "CPU {cpu} can't be used: this process may run on {}",
        may.join(", ")
    )))
}

/// This thread.
const SELF: Pid = Pid::from_raw(0);

impl TrialCpus {
    /// Chooses: the wanted CPU, or else the last isolated one, or else the last one that this
    /// process may use. The last, because the first has most interrupts.
    pub fn choose(host: &HostFiles, wanted: Option<u32>) -> Result<Self, ScheduleError> {
        let allowed = allowed().map_err(unfit)?;
        let mut isolated: Vec<u32> =
            host.isolated().into_iter().filter(|cpu| usable(*cpu)).collect();
        let mut pool: Vec<u32> =
            allowed.iter().copied().filter(|cpu| !isolated.contains(cpu)).collect();
        if let Some(cpu) = wanted {
            check_cpu(cpu)?;
            pool.retain(|other| *other != cpu);
            isolated.retain(|other| *other != cpu);
            isolated.push(cpu);
        }
        let count = isolated.len();
        pool.append(&mut isolated);
        if pool.is_empty() {
            return Err(ScheduleError::Unfit("there is no CPU for trials".to_owned()));
        }
        let cores = pool.iter().map(|cpu| (*cpu, host.same_core(*cpu))).collect();
        Ok(Self { pool, isolated: count, cores })
    }

    /// CPUs for a trial with this many threads: as many, and isolated ones if they suffice; all
    /// of them where there are fewer.
    pub fn for_threads(&self, threads: u16) -> &[u32] {
        let threads = usize::from(threads);
        let isolated = &self.pool[self.pool.len() - self.isolated..];
        let from = if isolated.len() >= threads { isolated } else { &self.pool };
        &from[from.len().saturating_sub(threads)..]
    }

    /// The CPU on which counts can be taken while times are measured with up to so many threads: the first
    /// one, as the last ones measure times. `None` where each other CPU shares a core with one of theirs.
    pub fn beside(&self, threads: u16) -> Option<u32> {
        let timed = self.for_threads(threads);
        let shares_core = |cpu: &u32| {
            timed
                .iter()
                .any(|one| one == cpu || self.cores.get(one).is_some_and(|c| c.contains(cpu)))
        };
        self.pool.iter().copied().find(|cpu| !shares_core(cpu))
    }

    /// CPUs that take counts while no times are measured, that of single-threaded trials first.
    pub fn counting(&self) -> Vec<u32> {
        self.pool.iter().rev().copied().take(MOST_COUNTING).collect()
    }

    /// How many CPUs there are beside that of single-threaded trials.
    pub fn others(&self) -> usize {
        self.pool.len() - 1
    }
}

/// Keeps the calling thread off the CPUs of single-threaded trials for as long as it lives.
#[derive(Debug)]
pub(crate) struct HousekeepingAffinity(Option<CpuSet>);

impl HousekeepingAffinity {
    /// Moves away, where there is another CPU to move to.
    pub fn of(cpus: &TrialCpus) -> Self {
        let moved = sched_getaffinity(SELF).and_then(|before| {
            let mut after = before;
            cpus.for_threads(1).iter().try_for_each(|cpu| after.unset(*cpu as usize))?;
            sched_setaffinity(SELF, &after).map(|()| before)
        });
        // With one CPU, there is nowhere to go.
        Self(moved.ok())
    }
}

impl Drop for HousekeepingAffinity {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            // Where it was before, it may be again.
            let _ = sched_setaffinity(SELF, before);
        }
    }
}

/// Moves the calling thread to a CPU, as far as it may go there.
pub(crate) fn move_to(cpu: u32) {
    let mut one = CpuSet::new();
    let _ = one.set(cpu as usize).and_then(|()| sched_setaffinity(SELF, &one));
}

fn unfit(error: nix::Error) -> ScheduleError {
    ScheduleError::Unfit(format!("the system does not tell which CPUs may be used: {error}"))
}

fn allowed() -> nix::Result<Vec<u32>> {
    let set = sched_getaffinity(SELF)?;
    Ok((0..CpuSet::count())
        .filter(|cpu| set.is_set(*cpu) == Ok(true))
        .map(|cpu| cpu as u32)
        .collect())
}

/// Whether this thread can be moved to a CPU: isolated ones are not among those that it may
/// use by itself, but can be asked for.
fn usable(cpu: u32) -> bool {
    let tried = sched_getaffinity(SELF).and_then(|before| {
        let mut one = CpuSet::new();
        one.set(cpu as usize)?;
        sched_setaffinity(SELF, &one)?;
        sched_setaffinity(SELF, &before)
    });
    tried.is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpus(pool: &[u32], isolated: usize) -> TrialCpus {
        TrialCpus { pool: pool.to_vec(), isolated, cores: BTreeMap::new() }
    }

    #[test]
    fn counts_beside_times_keep_off_the_cores_of_times() {
        assert_eq!(cpus(&[0, 1], 0).beside(1), Some(0));
        assert_eq!(cpus(&[0, 1], 0).beside(2), None, "threads have both");
        assert_eq!(cpus(&[3], 0).beside(1), None);
        // In the partition of a tuned host there are isolated CPUs only.
        assert_eq!(cpus(&[4, 5, 6, 7], 4).beside(1), Some(4));
        let siblings = |all: &[[u32; 2]]| -> BTreeMap<u32, Vec<u32>> {
            all.iter().flat_map(|core| core.map(|cpu| (cpu, core.to_vec()))).collect()
        };
        let one_core = TrialCpus { cores: siblings(&[[0, 1]]), ..cpus(&[0, 1], 0) };
        assert_eq!(one_core.beside(1), None);
        let two_cores = TrialCpus { cores: siblings(&[[0, 2], [1, 3]]), ..cpus(&[1, 0, 2, 3], 0) };
        assert_eq!(two_cores.beside(1), Some(0), "1 shares the core of 3");
        assert_eq!(two_cores.counting(), [3, 2, 0, 1]);
        assert_eq!(cpus(&[0, 1, 2, 3, 4, 5], 0).counting().len(), MOST_COUNTING);
    }

    #[test]
    fn isolated_cpus_are_used_while_they_suffice() {
        let cpus = cpus(&[0, 1, 4, 6, 7], 2);
        assert_eq!(cpus.for_threads(1), [7]);
        assert_eq!(cpus.for_threads(2), [6, 7]);
        assert_eq!(cpus.for_threads(3), [4, 6, 7]);
        assert_eq!(cpus.for_threads(64), [0, 1, 4, 6, 7]);
    }

    #[test]
    fn a_wanted_cpu_is_used_and_an_impossible_one_refused() {
        let host = HostFiles::below(std::path::Path::new("/nonexistent"));
        let first = allowed().unwrap()[0];
        assert_eq!(TrialCpus::choose(&host, Some(first)).unwrap().for_threads(1), [first]);
        let last = *allowed().unwrap().last().unwrap();
        assert_eq!(TrialCpus::choose(&host, None).unwrap().for_threads(1), [last]);
        let error = TrialCpus::choose(&host, Some(1000)).unwrap_err().to_string();
        assert!(error.starts_with("CPU 1000 can't be used: this process may run on "), "{error}");
    }

    #[test]
    fn this_program_moves_away_and_comes_back() {
        let before = allowed().unwrap();
        let host = HostFiles::below(std::path::Path::new("/nonexistent"));
        let cpus = TrialCpus::choose(&host, None).unwrap();
        let off = HousekeepingAffinity::of(&cpus);
        if before.len() > 1 {
            assert_eq!(allowed().unwrap(), before[..before.len() - 1]);
        }
        drop(off);
        assert_eq!(allowed().unwrap(), before);
    }
}
