//! A subject with its driver binaries.

use crate::{
    execute::{DriverCall, Executor, Instrument, Processes},
    verify,
};
use shakedown_protocol::{Aslr, DRIVER_PROTOCOL, DriverInfo, LostReason, SubjectEntry};
use std::{
    collections::BTreeMap,
    error::Error,
    path::{Path, PathBuf},
    time::Duration,
};

/// A subject and the driver binaries built for it.
#[derive(Debug, Clone)]
pub struct BuiltSubject {
    /// The subject's entry in the record. `entry.artifact.links` holds the digests of `binaries`.
    pub entry: SubjectEntry,
    /// One driver binary for each link of the artifact, the default link order first. A run takes the
    /// next one in each block, a comparison in each pair of trials; after the last, the first follows.
    pub binaries: Vec<PathBuf>,
}

/// Makes more links of the subjects of a comparison while it runs.
pub trait LinkSupply: Sync {
    /// The same subjects with so many links each, of which the first are the ones that they have.
    ///
    /// # Errors
    /// Whatever keeps them from being made.
    fn supply(
        &self,
        subjects: &[BuiltSubject],
        links: u32,
    ) -> Result<Vec<BuiltSubject>, Box<dyn Error + Send + Sync>>;
}

/// Why a driver did not describe itself.
#[derive(Debug, thiserror::Error)]
pub enum DescribeError {
    /// The driver did not start, crashed, timed out or printed an unreadable reply.
    #[error("`{} describe`: {reason}{}", binary.display(), tail(.stderr))]
    Lost {
        /// The binary.
        binary: PathBuf,
        /// The cause.
        reason: LostReason,
        /// The last lines of its standard error.
        stderr: String,
    },
    /// The driver uses another version of the driver protocol.
    #[error(
        "`{}` uses driver protocol {found}, but this program uses {DRIVER_PROTOCOL}: rebuild the driver",
        binary.display()
    )]
    Protocol {
        /// The binary.
        binary: PathBuf,
        /// The driver's protocol version.
        found: u32,
    },
}

fn tail(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!("; its stderr ends: {stderr}") }
}

/// Runs `driver describe` with what the build variants add to its environment, and parses its reply.
///
/// # Errors
/// Fails if the driver does not answer within ten seconds or uses another driver protocol.
pub fn describe(
    binary: &Path,
    environment: &BTreeMap<String, String>,
) -> Result<DriverInfo, DescribeError> {
    let execution = Processes::here().execute(&DriverCall {
        binary,
        verb: "describe",
        input: &[],
        cpus: &[],
        aslr: Aslr::On,
        pad: 0,
        environment,
        timeout: Duration::from_secs(10),
        instrument: Instrument::None,
    });
    let lost = |reason: LostReason| DescribeError::Lost {
        binary: binary.to_owned(),
        reason,
        stderr: execution.stderr.clone(),
    };
    if let Some(reason) = verify::failure_reason(&execution.ending) {
        return Err(lost(reason));
    }
    let info: DriverInfo = serde_json::from_slice(&execution.stdout)
        .map_err(|error| lost(verify::unreadable_reply(&execution.stdout, &error)))?;
    if info.protocol != DRIVER_PROTOCOL {
        return Err(DescribeError::Protocol { binary: binary.to_owned(), found: info.protocol });
    }
    Ok(info)
}
