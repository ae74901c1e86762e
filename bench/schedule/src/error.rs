//! What stops a run.

use crate::LockHolder;
use shakedown_protocol::RecordError;
use std::{io, path::PathBuf};

/// Why a record file can't be read or written.
#[derive(Debug, thiserror::Error)]
pub enum RecordFileError {
    /// There is already one.
    #[error(
        "{} is there already: finish it with `--resume`, or choose another folder with `--out`",
        .0.display()
    )]
    Exists(PathBuf),
    /// Not readable.
    #[error("can't read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Not writable: permissions, or the disk is full.
    #[error(
        "can't save to {}: {source}. What was saved before is whole; free some space or repair the folder, then finish with `--resume`",
        path.display()
    )]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Not a record, or damaged before its first trial.
    #[error("{}: {source}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: RecordError,
    },
}

/// Why a run stopped, or did not begin. Lost trials never stop a run.
#[derive(Debug, thiserror::Error)]
pub enum ScheduleError {
    /// The record file.
    #[error(transparent)]
    Record(#[from] RecordFileError),
    /// Another run has the host, and this one was told not to wait.
    #[error("this host is busy: {0}. Wait for it, or leave out `--no-wait`")]
    Busy(LockHolder),
    /// The lock file can't be used.
    #[error("can't lock {}: {source}", path.display())]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A run can't be finished as it was begun.
    #[error(
        "the run can't be finished as it was begun, because of what differs now:\n  {}\nStart a new run.",
        .0.join("\n  ")
    )]
    Differs(Vec<String>),
    /// The plan, the subjects or the options don't make a run.
    #[error("{0}")]
    Unfit(String),
    /// More links of the subjects can't be made.
    #[error("more links can't be made: {0}. What was measured is kept")]
    Links(Box<dyn std::error::Error + Send + Sync>),
    /// A driver binary is not the one that the artifact names.
    #[error(
        "{} is not what was built: SHA-256 is {found}, the artifact says {expected}. Build it again",
        path.display()
    )]
    Binary {
        /// The binary.
        path: PathBuf,
        /// Digest by the artifact.
        expected: String,
        /// Digest of the file, or why there is none.
        found: String,
    },
}
