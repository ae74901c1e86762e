//! Processes and folders that must not outlive this program.
//!
//! The kernel kills the processes with the thread that started them. What they wrote is removed by
//! [`stop_trials`] when a signal ends this program, and by the next run's [`remove_abandoned`] when nothing
//! could be done any more.

use nix::{
    fcntl::{Flock, FlockArg},
    sys::{
        signal::{Signal, killpg},
        wait::{Id, WaitPidFlag, waitid},
    },
    unistd::{Pid, geteuid},
};
use std::{
    collections::BTreeSet,
    fs::{self, File},
    io, mem,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// What the names of the folders begin with. The rest has one length, because they are on the stack of what is
/// counted.
const PREFIX: &str = "shakedown-";
const RANDOM: usize = 8;
/// What is in each of them.
pub(super) const DRIVER: &str = "driver";

static LIVE: Mutex<Live> =
    Mutex::new(Live { processes: BTreeSet::new(), folders: BTreeSet::new() });

struct Live {
    processes: BTreeSet<Pid>,
    folders: BTreeSet<PathBuf>,
}

fn live() -> MutexGuard<'static, Live> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes note of a process, whose group is its own.
pub(super) fn begin(process: Pid) {
    live().processes.insert(process);
}

/// Forgets a process that has ended, before it is collected. Never returns once [`stop_trials`] was called, so
/// that nobody takes what was killed for a lost trial.
pub(super) fn end(process: Pid) {
    live().processes.remove(&process);
}

/// Kills all processes of trials and removes their folders. No trial begins after this, and none is saved: the
/// program must end now.
pub fn stop_trials() {
    let live = live();
    for process in &live.processes {
        let _ = killpg(*process, Signal::SIGKILL);
    }
    for process in &live.processes {
        // It is collected by nobody: all that counts is that it writes no more.
        let _ = waitid(Id::Pid(*process), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT);
    }
    for folder in &live.folders {
        let _ = fs::remove_dir_all(folder);
    }
    mem::forget(live);
}

/// A folder for what a process writes, gone when this is dropped.
#[derive(Debug)]
pub(super) struct TrialFolder {
    path: PathBuf,
    /// Locked while this program lives.
    _lock: Flock<File>,
}

impl TrialFolder {
    pub fn new() -> io::Result<Self> {
        let mut live = live();
        let builder = tempfile::Builder::new().prefix(PREFIX).rand_bytes(RANDOM).tempdir()?;
        let lock = lock(builder.path())?;
        let path = builder.keep();
        live.folders.insert(path.clone());
        Ok(Self { path, _lock: lock })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for TrialFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
        live().folders.remove(&self.path);
    }
}

fn lock(folder: &Path) -> io::Result<Flock<File>> {
    let flags = libc::O_DIRECTORY | libc::O_NOFOLLOW;
    let folder = File::options().read(true).custom_flags(flags).open(folder)?;
    Flock::lock(folder, FlockArg::LockExclusiveNonblock).map_err(|(_, error)| error.into())
}

/// Removes the folders of programs that were killed, in the folder for temporary files.
pub(crate) fn remove_abandoned(all: &Path) {
    for entry in fs::read_dir(all).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let path = entry.path();
        let ours = random.is_some_and(|random| random.len() == RANDOM)
            && entry.metadata().is_ok_and(|found| found.uid() == geteuid().as_raw())
            && path.join(DRIVER).is_symlink();
        // Whoever made it holds its lock.
        if ours && lock(&path).is_ok() {
            let _ = fs::remove_dir_all(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn what_a_killed_program_left_is_removed_and_nothing_else() {
        let all = tempfile::tempdir().unwrap();
        let make = |name: &str, with: &str| {
            let path = all.path().join(name);
            fs::create_dir(&path).unwrap();
            symlink("/nonexistent", path.join(with)).unwrap();
            path
        };
        let left = make("shakedown-abcdefgh", DRIVER);
        let used = make("shakedown-12345678", DRIVER);
        let others =
            [make("shakedown-abcdefg", DRIVER), make("shakedown-87654321", "x"), make("a", DRIVER)];
        let lock = lock(&used).unwrap();
        remove_abandoned(all.path());
        assert!(!left.exists() && used.exists());
        assert!(others.iter().all(|other| other.exists()));
        drop(lock);
        remove_abandoned(all.path());
        assert!(!used.exists());
    }

    #[test]
    fn a_folder_goes_with_its_owner() {
        let folder = TrialFolder::new().unwrap();
        let path = folder.path().to_owned();
        assert!(path.is_dir());
        drop(folder);
        assert!(!path.exists());
    }
}
