//! A machine as the rest of this crate sees it.

use crate::{
    error::HostError,
    machine::{CapturedTree, Machine, RealMachine},
};
use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Output,
    sync::Arc,
};

/// A machine: the one that this program runs on, or a captured tree. Clones share it.
#[derive(Debug, Clone)]
pub struct HostRoot(Arc<dyn Machine>);

/// A file of `/proc` or `/sys` is small; more than this is not read.
const LONGEST: u64 = 1 << 20;

impl HostRoot {
    /// The machine that this program runs on.
    pub fn real() -> Self {
        Self::new(Arc::new(RealMachine))
    }

    /// A captured tree that can only be read.
    pub fn read_only(folder: impl Into<PathBuf>) -> Self {
        Self::new(Arc::new(CapturedTree(folder.into())))
    }

    /// A machine of any kind.
    pub fn new(machine: Arc<dyn Machine>) -> Self {
        Self(machine)
    }

    /// Whether this is a captured tree rather than the machine that the program runs on.
    pub fn is_captured(&self) -> bool {
        self.0.folder() != Path::new("/")
    }

    /// Where a file of the host is; `path` is written without the leading slash.
    pub fn path(&self, path: &str) -> PathBuf {
        self.0.folder().join(path)
    }

    /// A file's text without its last line break; `None` where there is no such file.
    ///
    /// # Errors
    /// When there is one and it can't be read.
    pub fn try_read(&self, path: &str) -> io::Result<Option<String>> {
        use io::Read;
        let file = match fs::File::open(self.path(path)) {
            Ok(file) => file,
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        match file.take(LONGEST).read_to_end(&mut bytes) {
            Ok(_) => Ok(Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A file's text; `None` where it is missing or can't be read.
    pub fn read(&self, path: &str) -> Option<String> {
        self.try_read(path).ok().flatten()
    }

    /// A file that every Linux has.
    ///
    /// # Errors
    /// [`HostError::Unreadable`].
    pub fn need(&self, path: &str) -> Result<String, HostError> {
        let missing = || io::Error::from(io::ErrorKind::NotFound);
        self.try_read(path)
            .and_then(|text| text.ok_or_else(missing))
            .map_err(|source| HostError::Unreadable { path: self.path(path), source })
    }

    /// Names in a folder, sorted, numbers by their value; none where there is no such folder.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).into_iter().flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
            .collect();
        names.sort_by_cached_key(|name| {
            let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
            let head = name[..name.len() - digits.len()].to_owned();
            (head, digits.parse::<u64>().unwrap_or(0), name.clone())
        });
        names
    }

    /// Whether there is such a file or folder.
    pub fn has(&self, path: &str) -> bool {
        self.path(path).exists()
    }

    /// Paths in which the one `*` is a number, each with that number; a path without `*` is
    /// returned as it is, with nothing. Only what exists.
    pub(crate) fn matching(&self, pattern: &str) -> Vec<(String, Option<u32>)> {
        let Some((before, after)) = pattern.split_once('*') else {
            let there = self.has(pattern);
            return there.then(|| (pattern.to_owned(), None)).into_iter().collect();
        };
        let (folder, prefix) = before.rsplit_once('/').unwrap_or(("", before));
        let names = self.names(folder).into_iter();
        names
            .filter_map(|name| {
                let number = name.strip_prefix(prefix)?.parse().ok()?;
                let path = format!("{folder}/{name}{after}");
                self.has(&path).then_some((path, Some(number)))
            })
            .collect()
    }

    /// Writes a file of `/proc` or `/sys`.
    ///
    /// # Errors
    /// The kernel's: a value that it does not take, a thing that it does not move.
    pub(crate) fn write(&self, path: &str, text: &str) -> io::Result<()> {
        self.before_change()?;
        self.0.write(path, text)
    }

    /// Creates a cgroup; it may exist already.
    pub(crate) fn create_cgroup(&self, path: &str) -> io::Result<()> {
        self.before_change()?;
        match self.0.create_cgroup(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            other => other,
        }
    }

    /// Removes a cgroup; it may be gone already.
    pub(crate) fn remove_cgroup(&self, path: &str) -> io::Result<()> {
        self.before_change()?;
        match self.0.remove_cgroup(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    /// Replaces an ordinary file atomically and waits until it is on disk.
    pub(crate) fn replace_file(&self, path: &str, text: &str) -> io::Result<()> {
        self.before_change()?;
        self.0.replace_file(path, text)
    }

    /// Removes an ordinary file. Returns whether it was there.
    pub(crate) fn remove_file(&self, path: &str) -> io::Result<bool> {
        self.before_change()?;
        match self.0.remove_file(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The output of a program that changes nothing.
    pub(crate) fn query(&self, program: &str, arguments: &[&str]) -> io::Result<Output> {
        self.0.run(program, arguments)
    }

    /// Runs a program that changes the machine. It must succeed.
    pub(crate) fn call(&self, program: &str, arguments: &[&str]) -> io::Result<()> {
        self.before_change()?;
        let output = self.0.run(program, arguments)?;
        if output.status.success() {
            return Ok(());
        }
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        Err(io::Error::other(format!("{program} {}: {message}", arguments.join(" "))))
    }

    /// Swaps to a device or a file.
    pub(crate) fn swap_on(&self, device: &str, priority: Option<i32>) -> io::Result<()> {
        self.before_change()?;
        self.0.swap_on(device, priority)
    }

    /// Stops swapping to a device or a file.
    pub(crate) fn swap_off(&self, device: &str) -> io::Result<()> {
        self.before_change()?;
        self.0.swap_off(device)
    }

    /// See [`Machine::before_change`].
    pub(crate) fn before_change(&self) -> io::Result<()> {
        self.0.before_change()
    }

    /// See [`Machine::append`].
    pub(crate) fn append(&self, file: &mut fs::File, line: &[u8]) -> io::Result<()> {
        self.0.append(file, line)
    }
}

/// Some files of `/sys` are there but say that the hardware is not, or that its CPU is offline
/// (`EBUSY`, in cpufreq).
fn is_absent(error: &io::Error) -> bool {
    const EBUSY: i32 = 16;
    const ENODEV: i32 = 19;
    const EOPNOTSUPP: i32 = 95;
    error.kind() == io::ErrorKind::NotFound
        || error.kind() == io::ErrorKind::NotADirectory
        || matches!(error.raw_os_error(), Some(EBUSY | ENODEV | EOPNOTSUPP))
}

/// Whether a folder's name is that of a numbered thing: `cpu12` for `cpu`.
pub(crate) fn is_numbered(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use crate::{HostRoot, TuneOptions, observe, testing::TestMachine, tune};

    #[test]
    fn a_captured_tree_is_read_but_never_changed() {
        let machine = TestMachine::new("intel");
        let captured = HostRoot::read_only(machine.root.path(""));
        assert_eq!(observe(&captured).unwrap(), observe(&machine.root).unwrap());
        let before = machine.files();
        let options =
            TuneOptions { journal: machine.journal.clone(), ..TuneOptions::new(&captured) };
        let error = tune(&captured, &options).unwrap_err().to_string();
        assert!(error.contains("without --root"), "{error}");
        assert!(machine.files() == before);
    }
}
