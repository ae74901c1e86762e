//! Who takes part in a run.

use protocol::{DRIVER_PROTOCOL, DriverInfo, SubjectEntry};
use std::path::{Path, PathBuf};

/// A subject of a run with the binaries that measure it.
#[derive(Debug, Clone)]
pub struct Contestant {
    /// What the record says of it. `entry.artifact.links` are the digests of `binaries`.
    pub entry: SubjectEntry,
    /// One driver binary a link of the artifact, the plain one first. Block `i` runs link
    /// `i` modulo their number.
    pub binaries: Vec<PathBuf>,
}

/// Why a driver did not describe itself.
#[derive(Debug, thiserror::Error)]
pub enum DescribeError {
    /// It could not be started, died, hung or printed something else.
    #[error("`{} describe` {reason}; its stderr ends: {stderr}", binary.display())]
    Lost {
        /// The binary.
        binary: PathBuf,
        /// What happened.
        reason: String,
        /// The end of its standard error.
        stderr: String,
    },
    /// It speaks another version of the driver protocol.
    #[error(
        "`{}` speaks driver protocol {found}, this program speaks {DRIVER_PROTOCOL}: build the driver again",
        binary.display()
    )]
    Protocol {
        /// The binary.
        binary: PathBuf,
        /// Its version.
        found: u32,
    },
}

/// Asks a driver binary what it is (`driver describe`).
///
/// # Errors
/// When it does not answer within ten seconds, or not in this program's driver protocol.
pub fn describe(binary: &Path) -> Result<DriverInfo, DescribeError> {
    let _ = binary;
    todo!("executor")
}
