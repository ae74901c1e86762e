//! Errors of reading a machine.

use std::{io, path::PathBuf};

/// Why a machine can't be observed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostError {
    /// A file that every Linux has is missing or unreadable.
    #[error("can't read {}: {source}. Is /proc mounted?", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A profile that is part of this program has a mistake.
    #[error("a defect in the profiles: {0}")]
    Profile(#[from] ProfileError),
}

/// A mistake in a profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct ProfileError {
    /// Name of the profile's file.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}
