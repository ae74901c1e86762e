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
        remove(folder);
    }
    mem::forget(live);
}

/// Removes a folder to which another thread, or a process that it has just started, may still add something: then
/// the folder is not empty when its turn comes. In a folder that is gone nothing can be made.
fn remove(folder: &Path) {
    const TRIES: u32 = 100;
    for _ in 0..TRIES {
        match fs::remove_dir_all(folder) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
            _ => return,
        }
    }
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
        loop {
            let made = tempfile::Builder::new().prefix(PREFIX).rand_bytes(RANDOM).tempdir()?;
            let Some(lock) = own(made.path())? else { continue };
            let path = made.keep();
            live.folders.insert(path.clone());
            return Ok(Self { path, _lock: lock });
        }
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

/// Locks a new folder. `None` if another program took it for an abandoned one before it was locked.
fn own(folder: &Path) -> io::Result<Option<Flock<File>>> {
    match lock(folder) {
        Ok(lock) => {
            let removed = lock.metadata()?.nlink() == 0;
            Ok(Some(lock).filter(|_| !removed))
        }
        Err(error)
            if [io::ErrorKind::NotFound, io::ErrorKind::WouldBlock].contains(&error.kind()) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Removes the folders of programs that were killed, in the folder for temporary files. An empty one is of a
/// program that was killed before it had the driver in it.
pub(crate) fn remove_abandoned(all: &Path) {
    for entry in fs::read_dir(all).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        let path = entry.path();
        let ours = random.is_some_and(|random| random.len() == RANDOM)
            && entry.metadata().is_ok_and(|found| found.uid() == geteuid().as_raw());
        // Whoever made it holds its lock.
        let Some(_held) = ours.then(|| lock(&path).ok()).flatten() else { continue };
        let _ = if path.join(DRIVER).is_symlink() {
            fs::remove_dir_all(path)
        } else {
            // Of an empty folder only.
            fs::remove_dir(path)
        };
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
    fn a_folder_that_was_only_begun_is_removed() {
        let all = tempfile::tempdir().unwrap();
        let begun = all.path().join("shakedown-abcdefgh");
        fs::create_dir(&begun).unwrap();
        remove_abandoned(all.path());
        assert!(!begun.exists());
    }

    #[test]
    fn a_new_folder_that_another_program_takes_is_not_used() {
        let all = tempfile::tempdir().unwrap();
        let made = all.path().join("shakedown-abcdefgh");
        assert!(own(&made).unwrap().is_none(), "it is gone");
        fs::create_dir(&made).unwrap();
        let other = lock(&made).unwrap();
        assert!(own(&made).unwrap().is_none(), "it is about to go");
        drop(other);
        assert!(own(&made).unwrap().is_some());
    }

    #[test]
    fn a_folder_goes_while_others_write_into_it() {
        let all = tempfile::tempdir().unwrap();
        let folder = all.path().join("folder");
        fs::create_dir(&folder).unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let folder = &folder;
                scope.spawn(move || {
                    let files = (0..).map(|file| folder.join(format!("{writer}-{file}")));
                    files.take(500).take_while(|path| fs::write(path, "x").is_ok()).for_each(drop);
                });
            }
            while fs::read_dir(&folder).unwrap().count() < 20 {}
            remove(&folder);
        });
        assert!(!folder.exists());
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
