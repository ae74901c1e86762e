//! Errors of builds.

use crate::{CatalogError, Incompatibility};
use std::path::{Path, PathBuf};

/// Why a build produced no artifact. Every message says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The subject can't be built as asked: wrong name, wrong variant for this version.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// A source is missing or unusable.
    #[error("{what}")]
    Source {
        /// What is wrong, and what to do.
        what: String,
        /// Output of the program that fetched it.
        log: Option<PathBuf>,
    },
    /// The digest of a source differs from the expected one.
    #[error(
        "{what} has another digest than it should:\n  expected SHA-256 {expected}\n  found    SHA-256 {found}\nDo not use it. If the new content is what you want, put its digest in place of the old one"
    )]
    Digest {
        /// The file, crate or archive.
        what: String,
        /// From the catalog or the subject's name.
        expected: String,
        /// Of the received source.
        found: String,
    },
    /// Programs that the build needs are missing.
    #[error("to build {subject}, this machine lacks {}.\nInstall with: {install}", missing.join(", "))]
    Tools {
        /// What could not be built.
        subject: String,
        /// Programs that were not found or do not work.
        missing: Vec<String>,
        /// A command that installs them on Debian and Ubuntu.
        install: String,
    },
    /// The compiler that was asked for, the one that answers and the one that compiled are not the
    /// same.
    #[error("not the compiler asked for:\n  asked for {asked}\n  found     {found}\n{advice}")]
    Compiler {
        /// The requested compiler.
        asked: String,
        /// The compiler that was used or would be, and where it was seen.
        found: String,
        /// What to do about it.
        advice: String,
    },
    /// The network or the server can't be reached.
    #[error(
        "can't fetch {what}: the network or the server can't be reached. Check the connection and the proxy settings, then try again\n{tail}"
    )]
    Network {
        /// What should be fetched.
        what: String,
        /// The end of the tool's output.
        tail: String,
    },
    /// The disk is full, or has too little space to start.
    #[error("no space left for {}: {free_mib} MiB free, {wanted_mib} MiB needed. Make room, or point SHAKEDOWN_CACHE to another disk", folder.display())]
    DiskFull {
        /// Where.
        folder: PathBuf,
        /// Free space in MiB.
        free_mib: u64,
        /// Space that the build needs, in MiB.
        wanted_mib: u64,
    },
    /// A step of the build failed.
    #[error("building {subject} failed in step `{step}`; the whole log is {}\n{tail}", log.display())]
    Failed {
        /// What was built.
        subject: String,
        /// Which step.
        step: String,
        /// The whole log.
        log: PathBuf,
        /// The end of the log.
        tail: String,
    },
    /// The driver does not fit this revision of the library.
    #[error("the driver of {subject} does not fit the source{}: {why}\nThe whole log is {}", at(revision.as_deref()), log.display())]
    Incompatible {
        /// What was built.
        subject: String,
        /// Full commit id, where the source has one.
        revision: Option<String>,
        /// The incompatibility.
        why: Box<Incompatibility>,
        /// The whole log.
        log: PathBuf,
    },
    /// A file could not be read or written.
    #[error("can't {action} {}: {error}", path.display())]
    Io {
        /// The attempted operation, as a verb.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
}

impl BuildError {
    /// Whether the request or its source was wrong, so that no build was tried; otherwise the build
    /// failed.
    pub const fn is_bad_input(&self) -> bool {
        matches!(self, Self::Catalog(_) | Self::Source { .. } | Self::Digest { .. })
    }

    /// The log with the details, if there is one.
    pub fn log(&self) -> Option<&Path> {
        match self {
            Self::Failed { log, .. } | Self::Incompatible { log, .. } => Some(log),
            Self::Source { log, .. } => log.as_deref(),
            _ => None,
        }
    }

    /// For `map_err`: an error of `action` on `path`; a full disk gets its own variant.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |error| {
            if error.kind() == std::io::ErrorKind::StorageFull {
                let free = path.ancestors().find_map(|p| fs4::available_space(p).ok());
                return Self::DiskFull {
                    folder: path,
                    free_mib: free.unwrap_or(0) >> 20,
                    wanted_mib: 1,
                };
            }
            Self::Io { action, path, error }
        }
    }
}

/// ` (commit 6868ee84dd62)`, or nothing.
fn at(revision: Option<&str>) -> String {
    revision.map_or_else(String::new, |id| format!(" (commit {})", &id[..id.len().min(12)]))
}
