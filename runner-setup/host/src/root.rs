//! Where a host's files are.

use crate::{model, profile::ProfileError};
use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

/// The root of a machine's file system: `/`, or a captured tree, which answers what is written
/// to it as the kernel would.
#[derive(Debug, Clone)]
pub struct HostRoot {
    folder: PathBuf,
    #[cfg(test)]
    pub(crate) fuse: crate::fuse::Fuse,
}

/// Why a machine can't be observed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// Without this file there is no telling what machine it is.
    #[error("can't read {}: {source}. Is /proc mounted?", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A profile with a mistake.
    #[error("a defect of the profiles: {0}")]
    Profile(#[from] ProfileError),
}

/// A file of `/proc` or `/sys` is small; more than this is not read.
const LONGEST: u64 = 1 << 20;

impl HostRoot {
    /// This machine.
    pub fn real() -> Self {
        Self::at("/")
    }

    /// A captured tree.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            #[cfg(test)]
            fuse: crate::fuse::Fuse::default(),
        }
    }

    /// Whether this is a captured tree and no running machine.
    pub fn is_captured(&self) -> bool {
        self.folder != Path::new("/")
    }

    /// Where a file of the host is; `path` is written without the leading slash.
    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
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

    /// Writes a file of `/proc` or `/sys`, in one call as the kernel wants it.
    ///
    /// # Errors
    /// What the kernel says: a value that it does not take, a thing that it does not move.
    pub(crate) fn write(&self, path: &str, text: &str) -> io::Result<()> {
        self.step()?;
        if self.is_captured() {
            return model::write(self, path, text);
        }
        let mut file = fs::OpenOptions::new().write(true).open(self.path(path))?;
        file.write_all(text.as_bytes())
    }

    /// Makes a folder, a cgroup for example; it may be there already.
    pub(crate) fn make_folder(&self, path: &str) -> io::Result<()> {
        self.step()?;
        match fs::create_dir(self.path(path)) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            Ok(()) if self.is_captured() => model::made_folder(self, path),
            other => other,
        }
    }

    /// Removes a cgroup; it may be gone already.
    pub(crate) fn remove_folder(&self, path: &str) -> io::Result<()> {
        self.step()?;
        let removed = if self.is_captured() {
            model::remove_folder(self, path)
        } else {
            fs::remove_dir(self.path(path))
        };
        match removed {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            other => other,
        }
    }

    /// Called before everything that changes the machine or the journal, so that tests can
    /// stop there.
    #[cfg_attr(not(test), expect(clippy::unused_self, clippy::unnecessary_wraps))]
    pub(crate) fn step(&self) -> io::Result<()> {
        #[cfg(test)]
        self.fuse.burn()?;
        Ok(())
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
