//! Work for the CPUs that trials don't run on: what a calibration sees when the rest of the
//! machine is busy.

use crate::{
    ScheduleError,
    cpus::{Cpus, StayOff},
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

/// Memory that each thread runs through again and again: more than the caches of a core, so
/// that the caches and the memory that the cores share have work too.
const BYTES: usize = 32 << 20;

/// Keeps every CPU but the trials' busy for as long as it lives.
#[derive(Debug)]
pub struct Load {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Load {
    /// Starts a thread for each CPU that this process may use, and keeps them off the CPU of
    /// single-threaded trials, which is `wanted` or the one that a run would choose.
    ///
    /// # Errors
    /// When there is no such CPU, or no other one to load.
    pub fn beside(wanted: Option<u32>) -> Result<Self, ScheduleError> {
        let cpus = Cpus::choose(&HostFiles::here(), wanted)?;
        let others = cpus.others();
        if others == 0 {
            let text = "there is no CPU beside the trials' to load".to_owned();
            return Err(ScheduleError::Unfit(text));
        }
        let stop = Arc::new(AtomicBool::new(false));
        // New threads inherit where they may run.
        let _off = StayOff::of(&cpus);
        let threads = (0..others)
            .map(|_| {
                let stop = Arc::clone(&stop);
                thread::spawn(move || run_through(&stop))
            })
            .collect();
        Ok(Self { stop, threads })
    }
}

impl Drop for Load {
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
        match Load::beside(None) {
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
