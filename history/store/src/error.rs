//! Errors of the history.

use shakedown_protocol::RecordError;
use std::path::{Path, PathBuf};

/// Why an operation on the history failed. Stored data is never lost.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file system operation failed.
    #[error("can't {doing} {}: {source}{}", path.display(), advice(source))]
    Io {
        /// The operation, as a verb.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The text is not a run record. If possible, a copy is kept.
    #[error("refused: {reason}{}", .kept.as_ref().map(|path| format!(" (kept, with the reason, in {})", path.display())).unwrap_or_default())]
    Refused {
        /// The problem.
        reason: String,
        /// The copy.
        kept: Option<PathBuf>,
    },
    /// There is no history in the folder that was named.
    #[error(
        "there is no history in {}. `shakedown history add RUN` starts one. Name the folder of another \
         one with --history or SHAKEDOWN_HISTORY",
        .0.display()
    )]
    NoHistory(PathBuf),
    /// A stored file is damaged.
    #[error("{} is damaged: {reason}. See `shakedown history verify`", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The problem.
        reason: String,
    },
    /// A malformed line in one of the history's files.
    #[error("{}:{line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// The problem.
        reason: String,
    },
    /// The requested thing does not exist, or the query is invalid.
    #[error("{0}")]
    Question(String),
    /// The index failed. It is derived: deleting it loses nothing.
    #[error("the index failed: {0}. Delete the folder .index in the history; it is made again")]
    Index(#[from] rusqlite::Error),
    /// Git failed.
    #[error("git {command} failed: {stderr}")]
    Git {
        /// Its arguments.
        command: String,
        /// What it wrote to standard error.
        stderr: String,
    },
    /// A record that can't be read.
    #[error(transparent)]
    Record(#[from] RecordError),
}

fn advice(source: &std::io::Error) -> &'static str {
    match source.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            ". Make room and call this again: nothing that is stored was changed"
        }
        std::io::ErrorKind::PermissionDenied => ". The history must be writable by this user",
        _ => "",
    }
}

impl StoreError {
    /// Wraps an error of the file system, for `map_err`.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { doing, path: path.to_path_buf(), source }
    }

    /// Whether the file system or its permissions forbid writing, so that reading may go on.
    pub(crate) fn is_read_only(&self) -> bool {
        use rusqlite::ErrorCode::{CannotOpen, ReadOnly};
        use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        match self {
            Self::Io { source, .. } => {
                matches!(source.kind(), PermissionDenied | ReadOnlyFilesystem)
            }
            Self::Index(error) => matches!(error.sqlite_error_code(), Some(CannotOpen | ReadOnly)),
            _ => false,
        }
    }
}
