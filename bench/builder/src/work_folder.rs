//! The folders in which drivers are compiled. Later builds find there what does not depend on the library.
//!
//! Builds of one driver with the same flags share a folder. When it is taken, a build uses a *spare*: a copy of
//! it, mounted over the shared one for the compilers of this build only. Compilers write paths into what they make, and
//! name symbols after them. With one path for all, a binary does not depend on the folder that happened to be free.

use crate::{
    BuildError,
    call::{BuildLog, Caller},
    job::BuildJob,
    lock::CacheLock,
};
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};
use walkdir::WalkDir;

/// Folder of the sources: the driver, in the layout of the repository, and the library.
pub(crate) const TREE: &str = "tree";
/// Cargo's target folder for the driver.
pub(crate) const TARGET: &str = "target";
/// File with a line for each set of dependencies that is compiled in the folder.
const COMPILED: &str = "compiled";
/// Time between two looks for a free folder.
const POLL: Duration = Duration::from_millis(100);
/// Programs of a build with a spare see it in place of the shared folder. Arguments: spare, shared folder, working
/// folder, and the call.
const ENTER: &str = r#"mount --bind "$1" "$2" && cd "$3" && shift 3 && exec "$@""#;
/// A spare takes at most this part of the free space.
const SHARE_OF_FREE: u64 = 4;

/// A folder that one build has for itself.
#[derive(Debug)]
pub(crate) struct WorkFolder {
    /// Where its files are.
    place: PathBuf,
    /// Where compilers see them: the same path for every build that shares `key`.
    seen: PathBuf,
    key: String,
    /// Identifies what must be compiled before the driver.
    dependencies: String,
    /// Whether all folders that would have done were taken.
    waited: bool,
    _lock: CacheLock,
}

impl WorkFolder {
    /// Takes the folder `key`, or else a spare in which `dependencies` are compiled already. Waits if there is none:
    /// two builds at the same time must not compile the same dependencies twice.
    pub(crate) fn take(
        job: &BuildJob<'_>,
        key: &str,
        dependencies: &str,
    ) -> Result<Self, BuildError> {
        let seen = job.cache.at("work", key);
        let mut waited = false;
        loop {
            for number in 0..most() {
                let name = numbered(key, number);
                let place = job.cache.at("work", &name);
                let is_ready = || number == 0 || has(&place, dependencies);
                if !is_ready() || (number > 0 && !can_mount(job.caller, &seen)) {
                    continue;
                }
                let Some(lock) = job.lock_if_free("work", &name)? else { continue };
                // It may have been replaced meanwhile.
                if is_ready() {
                    let (key, dependencies) = (key.to_owned(), dependencies.to_owned());
                    return Ok(Self { place, seen, key, dependencies, waited, _lock: lock });
                }
            }
            if !waited {
                job.report_waiting("work", key)?;
                waited = true;
            }
            thread::sleep(POLL);
        }
    }

    /// A path in it for this process.
    pub(crate) fn place(&self, path: impl AsRef<Path>) -> PathBuf {
        self.place.join(path)
    }

    /// The same path for the programs that [`WorkFolder::command`] calls.
    pub(crate) fn seen(&self, path: impl AsRef<Path>) -> PathBuf {
        self.seen.join(path)
    }

    /// A call of `program` in the folder `within` of this one.
    pub(crate) fn command(
        &self,
        caller: &Caller,
        program: &str,
        within: impl AsRef<Path>,
    ) -> Command {
        let folder = self.seen.join(within);
        if self.place == self.seen {
            let mut command = caller.command(program);
            command.current_dir(folder);
            return command;
        }
        let mut command = in_namespace(caller);
        command.args([&self.place, &self.seen, &folder]).arg(program);
        command
    }

    /// Notes that the dependencies are compiled. If this build had to wait for the folder, leaves a copy for the next
    /// that would have to. A copy that can't be made costs time only, so it is no error.
    pub(crate) fn finish(&self, job: &BuildJob<'_>, log: &mut BuildLog) -> Result<(), BuildError> {
        if !has(&self.place, &self.dependencies) {
            let path = self.place.join(COMPILED);
            let known = fs::read_to_string(&path).unwrap_or_default();
            job.cache.write(&path, format!("{known}{}\n", self.dependencies).as_bytes())?;
        }
        if self.waited
            && can_mount(job.caller, &self.seen)
            && let Err(error) = self.leave_spare(job)
        {
            log.note(&format!("no spare was made: {error}"));
        }
        Ok(())
    }

    fn leave_spare(&self, job: &BuildJob<'_>) -> Result<(), BuildError> {
        for number in 1..most() {
            let name = numbered(&self.key, number);
            let place = job.cache.at("work", &name);
            if place == self.place {
                continue;
            }
            let Some(_lock) = job.lock_if_free("work", &name)? else { continue };
            if has(&place, &self.dependencies) {
                return Ok(());
            }
            let free = fs4::available_space(&self.place);
            let free = free.map_err(BuildError::io("read", &self.place))?;
            if size(&self.place) > free / SHARE_OF_FREE {
                return Ok(());
            }
            let aside = job.cache.aside(&place)?;
            copy(job.caller, &self.place, aside.path())
                .map_err(BuildError::io("copy to", aside.path()))?;
            return aside.publish().map(drop);
        }
        Ok(())
    }
}

/// Folders for one key: more builds than CPUs would not be faster side by side.
fn most() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn numbered(key: &str, number: usize) -> String {
    if number == 0 { key.to_owned() } else { format!("{key}-{number}") }
}

fn has(place: &Path, dependencies: &str) -> bool {
    let compiled = fs::read_to_string(place.join(COMPILED)).unwrap_or_default();
    compiled.lines().any(|line| line == dependencies)
}

/// Calls a program in a mount namespace of its own, as [`ENTER`] says. The mount is gone when the program ends.
fn in_namespace(caller: &Caller) -> Command {
    let mut command = caller.command("unshare");
    command.args(["--user", "--map-root-user", "--mount", "--", "sh", "-c", ENTER, "sh"]);
    command
}

/// Whether this machine lets a build mount a folder for itself; some containers don't.
fn can_mount(caller: &Caller, folder: &Path) -> bool {
    let mut command = in_namespace(caller);
    let output = command.args([folder, folder, folder]).arg("true").output();
    output.is_ok_and(|output| output.status.success())
}

/// Real copies: what one build writes must not show in the other. With times, by which cargo tells what is new.
fn copy(caller: &Caller, from: &Path, to: &Path) -> io::Result<()> {
    let mut command = caller.command("cp");
    let output = command.args(["--archive", "--no-target-directory"]).args([from, to]).output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

fn size(folder: &Path) -> u64 {
    let files = WalkDir::new(folder).into_iter().flatten();
    files.filter_map(|entry| entry.metadata().ok()).map(|facts| facts.len()).sum()
}

/// Makes cargo compile and link the package `name` again in the target folder `made`, even if it is
/// fresh, because the linker's inputs must be those of this build. Dependencies stay compiled.
pub(crate) fn forget(made: &Path, name: &str) -> io::Result<()> {
    let Ok(known) = fs::read_dir(made.join(".fingerprint")) else { return Ok(()) };
    for entry in known {
        let entry = entry?;
        let of_package = entry.file_name().to_str().is_some_and(|found| {
            found.rsplit_once('-').is_some_and(|(package, _)| package == name)
        });
        if of_package {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// Removes the folders whose names begin like this: whoever made them was killed.
pub(crate) fn remove_abandoned(within: &Path, prefix: &str) {
    for entry in fs::read_dir(within).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            // What can't be removed is only litter.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
