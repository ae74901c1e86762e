//! Many threads that start and stop together, each on a CPU of its own where there are
//! enough.

use std::{mem, sync::Barrier, thread};

/// Runs `work` on `count` threads and returns what they yield, in order of threads. Each
/// gets its number and a barrier that all of them must reach; the first error wins.
///
/// # Errors
/// Those of the work.
pub fn together<T: Send, E: Send>(
    count: usize,
    work: impl Fn(u64, &Barrier) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    let barrier = Barrier::new(count);
    if count == 1 {
        return work(0, &barrier).map(|one| vec![one]);
    }
    let cpus = allowed_cpus();
    let (work, barrier, cpus) = (&work, &barrier, &cpus);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..count)
            .map(|index| {
                scope.spawn(move || {
                    if cpus.len() >= count {
                        pin(cpus[index]);
                    }
                    work(index as u64, barrier)
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// CPUs that this process may run on.
fn allowed_cpus() -> Vec<usize> {
    // SAFETY: a set of zeros is a valid set, and the call writes at most its size.
    let set = unsafe {
        let mut set: libc::cpu_set_t = mem::zeroed();
        libc::sched_getaffinity(0, mem::size_of_val(&set), &raw mut set);
        set
    };
    (0..libc::CPU_SETSIZE as usize)
        // SAFETY: every index is below CPU_SETSIZE.
        .filter(|cpu| unsafe { libc::CPU_ISSET(*cpu, &set) })
        .collect()
}

/// Keeps the calling thread on one CPU. A failure costs precision, not truth: the scheduler
/// sees migrations.
fn pin(cpu: usize) {
    // SAFETY: the set is valid and lives through the call.
    unsafe {
        let mut set: libc::cpu_set_t = mem::zeroed();
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, mem::size_of_val(&set), &raw const set);
    }
}
