//! The context of one build for all its steps.

use crate::{
    BuildError, BuildEvent, BuildPhase, Progress,
    cache::Cache,
    call::{BuildLog, Caller, disk_to_blame, network_to_blame},
    lock::{self, CacheLock},
};
use shakedown_protocol::Subject;
use std::{
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

/// Minimum time between two reports of a running phase.
const REPORT_EVERY: Duration = Duration::from_millis(250);

pub(crate) struct BuildJob<'a> {
    /// The checkout with the drivers.
    pub(crate) repository: &'a Path,
    pub(crate) cache: &'a Cache,
    pub(crate) caller: &'a Caller,
    pub(crate) subject: &'a Subject,
    pub(crate) progress: &'a dyn Progress,
    pub(crate) started: Instant,
}

impl BuildJob<'_> {
    /// Reports the start of a phase.
    pub(crate) fn phase(&self, phase: BuildPhase) {
        self.report(&BuildEvent::Phase { phase, elapsed: self.started.elapsed() });
    }

    pub(crate) fn report(&self, event: &BuildEvent) {
        self.progress.report(self.subject, event);
    }

    /// Takes the lock of a cache entry. Waits for the holder.
    pub(crate) fn lock(&self, kind: &str, name: &str) -> Result<CacheLock, BuildError> {
        lock::take(&self.lock_file(kind, name), &self.subject.to_string(), &mut |holder| {
            self.report(&BuildEvent::Waiting { holder });
        })
    }

    /// Takes the lock of a cache entry, unless another build holds it.
    pub(crate) fn lock_if_free(
        &self,
        kind: &str,
        name: &str,
    ) -> Result<Option<CacheLock>, BuildError> {
        lock::take_if_free(&self.lock_file(kind, name), &self.subject.to_string())
    }

    /// Reports that the holder of a cache entry's lock is waited for.
    pub(crate) fn report_waiting(&self, kind: &str, name: &str) -> Result<(), BuildError> {
        let holder = lock::holder_of(&self.lock_file(kind, name))?;
        self.report(&BuildEvent::Waiting { holder });
        Ok(())
    }

    fn lock_file(&self, kind: &str, name: &str) -> PathBuf {
        self.cache.at("locks", &format!("{kind}-{name}.lock"))
    }

    /// Runs a step of the build and logs its output. Its progress is relative to the last run of
    /// `phase`.
    pub(crate) fn run(
        &self,
        log: &mut BuildLog,
        step: &str,
        phase: &str,
        command: &mut Command,
    ) -> Result<(), BuildError> {
        let expected = self.cache.expected(phase);
        let mut reported = Instant::now();
        let mut total = 0;
        let status = log.run(command, &mut |lines| {
            total = lines;
            if reported.elapsed() >= REPORT_EVERY {
                reported = Instant::now();
                let elapsed = self.started.elapsed();
                self.report(&BuildEvent::Step { lines, expected, elapsed });
            }
        });
        match status {
            Ok(status) if status.success() => {
                // A phase that said nothing this time says nothing about the next.
                if total > 0 {
                    self.cache.remember(phase, total);
                }
                Ok(())
            }
            Ok(status) => {
                log.note(&format!("ended with {status}"));
                Err(self.failed(log, step))
            }
            Err(error) if error.kind() == std::io::ErrorKind::StorageFull => {
                Err(BuildError::io("write", &log.path)(error))
            }
            Err(error) => {
                log.note(&error.to_string());
                Err(self.failed(log, step))
            }
        }
    }

    /// The error of a failed step, from the end of its log.
    fn failed(&self, log: &mut BuildLog, step: &str) -> BuildError {
        let tail = log.tail();
        if disk_to_blame(&tail) {
            return disk_full(&self.cache.root, 1);
        }
        BuildError::Failed {
            subject: self.subject.to_string(),
            step: step.to_owned(),
            log: log.path.clone(),
            tail,
        }
    }
}

/// Turns a failed step into a network error if its log shows one.
pub(crate) fn blame_network(error: BuildError, what: &str) -> BuildError {
    match error {
        BuildError::Failed { tail, .. } if network_to_blame(&tail) => {
            BuildError::Network { what: what.to_owned(), tail }
        }
        other => other,
    }
}

/// The error for a full disk.
fn disk_full(folder: &Path, wanted_mib: u64) -> BuildError {
    let free = folder.ancestors().find_map(|path| fs4::available_space(path).ok());
    BuildError::DiskFull {
        folder: folder.to_owned(),
        free_mib: free.unwrap_or(0) >> 20,
        wanted_mib,
    }
}

/// Checks that a build has enough space.
///
/// # Errors
/// [`BuildError::DiskFull`] if less than `wanted_mib` are free.
pub(crate) fn check_room(folder: &Path, wanted_mib: u64) -> Result<(), BuildError> {
    let free = folder.ancestors().find_map(|path| fs4::available_space(path).ok());
    match free {
        Some(free) if free >> 20 < wanted_mib => Err(disk_full(folder, wanted_mib)),
        _ => Ok(()),
    }
}
