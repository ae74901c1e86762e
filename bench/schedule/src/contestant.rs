//! Who takes part in a run.

use crate::{
    execute::{Executor, Instrument, Job, Processes},
    verify,
};
use shakedown_protocol::{Aslr, DRIVER_PROTOCOL, DriverInfo, SubjectEntry};
use std::{
    path::{Path, PathBuf},
    time::Duration,
};

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
    #[error("`{} describe`: {reason}{}", binary.display(), tail(.stderr))]
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

fn tail(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!("; its stderr ends: {stderr}") }
}

/// Asks a driver binary what it is (`driver describe`).
///
/// # Errors
/// When it does not answer within ten seconds, or not in this program's driver protocol.
pub fn describe(binary: &Path) -> Result<DriverInfo, DescribeError> {
    let execution = Processes::here().execute(&Job {
        binary,
        verb: "describe",
        input: &[],
        cpus: &[],
        aslr: Aslr::On,
        pad: 0,
        timeout: Duration::from_secs(10),
        instrument: Instrument::None,
    });
    let lost = |reason| DescribeError::Lost {
        binary: binary.to_owned(),
        reason,
        stderr: execution.stderr.clone(),
    };
    if let Some(reason) = verify::death(&execution.ending) {
        return Err(lost(reason));
    }
    let info: DriverInfo = serde_json::from_slice(&execution.stdout)
        .map_err(|error| lost(verify::nonsense(&execution.stdout, &error)))?;
    if info.protocol != DRIVER_PROTOCOL {
        return Err(DescribeError::Protocol { binary: binary.to_owned(), found: info.protocol });
    }
    Ok(info)
}
