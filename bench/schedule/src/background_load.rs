//! Background load on the CPUs that run no trials. A calibration uses it to measure the noise of
//! a busy machine.

use crate::{
    ScheduleError,
    cpus::{HousekeepingAffinity, TrialCpus},
    execute::HostFiles,
};
use std::{
    hint,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

/// Memory that each thread streams through. Larger than a core's private caches, so that the
/// shared cache and the memory controller are loaded too.
const BYTES: usize = 32 << 20;

/// Keeps every CPU except the trials' busy until dropped.
#[derive(Debug)]
pub struct BackgroundLoad {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl BackgroundLoad {
    /// Starts a thread for each CPU that this process may use, and keeps them off the CPU of
    /// single-threaded trials, which is `wanted` or the one that a run would choose.
    ///
    /// # Errors
    /// Fails if `wanted` does not exist or no other CPU is available.
    pub fn start(wanted: Option<u32>) -> Result<Self, ScheduleError> {
        let cpus = TrialCpus::choose(&HostFiles::here(), wanted)?;
        let others = cpus.others();
        if others == 0 {
            let text = "there is no CPU beside the trials' to load".to_owned();
            return Err(ScheduleError::Unfit(text));
        }
        let stop = Arc::new(AtomicBool::new(false));
        // New threads inherit where they may run.
        let _off = HousekeepingAffinity::of(&cpus);
        let threads = (0..others)
            .map(|_| {
                let stop = Arc::clone(&stop);
                thread::spawn(move || run_through(&stop))
            })
            .collect();
        Ok(Self { stop, threads })
    }
}

impl Drop for BackgroundLoad {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // It does nothing that could fail.
            let _ = thread.join();
        }
    }
}

fn run_through(stop: &AtomicBool) {
    let mut memory = vec![0_u64; BYTES / size_of::<u64>()];
    while !stop.load(Ordering::Relaxed) {
        memory.iter_mut().for_each(|word| *word = word.wrapping_add(1));
        hint::black_box(&memory);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_when_it_is_dropped() {
        match BackgroundLoad::start(None) {
            Ok(load) => {
                assert!(!load.threads.is_empty());
                let stop = Arc::clone(&load.stop);
                drop(load);
                assert_eq!(Arc::strong_count(&stop), 1, "a thread is left");
            }
            Err(error) => assert!(error.to_string().contains("no CPU beside"), "{error}"),
        }
    }
}
