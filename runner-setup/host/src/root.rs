//! Where a host's files are.

use std::{fs, io, path::PathBuf};

/// The root of a machine's file system: `/`, or a captured tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRoot(PathBuf);

/// Why a machine can't be observed.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// Without this file there is no telling what machine it is.
    #[error("can't read {}: {source}. Is /proc mounted?", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// A file of `/proc` or `/sys` is small; more than this is not read.
const LONGEST: u64 = 1 << 20;

impl HostRoot {
    /// This machine.
    pub fn real() -> Self {
        Self(PathBuf::from("/"))
    }

    /// A captured tree.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// Where a file of the host is; `path` is written without the leading slash.
    pub fn path(&self, path: &str) -> PathBuf {
        self.0.join(path)
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

    /// Names in a folder, sorted; none where there is no such folder.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(folder)).into_iter().flatten();
        let mut names: Vec<String> = entries
            .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
            .collect();
        names.sort();
        names
    }
}

/// Some files of `/sys` are there but say that the hardware is not.
fn is_absent(error: &io::Error) -> bool {
    const ENODEV: i32 = 19;
    const EOPNOTSUPP: i32 = 95;
    error.kind() == io::ErrorKind::NotFound
        || error.kind() == io::ErrorKind::NotADirectory
        || matches!(error.raw_os_error(), Some(ENODEV | EOPNOTSUPP))
}

/// Whether a folder's name is that of a numbered thing: `cpu12` for `cpu`.
pub(crate) fn is_numbered(name: &str, prefix: &str) -> bool {
    name.strip_prefix(prefix)
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}
