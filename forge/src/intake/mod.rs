//! Taking in what a stranger hands over: a zip with one record. Every step has its limit, and
//! nothing is trusted that can't be checked.

mod limits;
mod scan;
mod unpack;

#[cfg(test)]
mod tests;

pub use limits::IntakeLimits;
pub use unpack::RECORD;

use shakedown_protocol::{RecordError, RunRecord};
use std::{fs::File, io, path::Path};

/// Why an artifact is refused. What it quotes is escaped.
#[derive(Debug, thiserror::Error)]
pub enum IntakeRefusal {
    /// The file can't be read.
    #[error("can't read {path}: {source}")]
    Unreadable {
        /// Its path.
        path: String,
        /// What the system says.
        source: io::Error,
    },
    /// The archive is larger than anything sensible.
    #[error("the archive has {found} bytes; {limit} are the limit")]
    Archive {
        /// Its size.
        found: u64,
        /// What is taken.
        limit: u64,
    },
    /// No archive, or a damaged one.
    #[error("the archive can't be read: {0}")]
    Damaged(String),
    /// Something other than `record.json`.
    #[error("the archive holds `{name}`: {reason}. It must hold record.json and nothing else")]
    Entry {
        /// Name of the entry.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The record is larger than anything sensible.
    #[error("the record unpacks to more than {limit} bytes")]
    Size {
        /// What is taken.
        limit: u64,
    },
    /// It was packed too well to be a record.
    #[error("the record unpacks to more than {limit} times its packed size: a bomb")]
    Ratio {
        /// What is taken.
        limit: u64,
    },
    /// Not text.
    #[error("the record is not text (byte {0} is not UTF-8)")]
    Text(usize),
    /// JSON that no record needs.
    #[error("the record is not sensible JSON: {0}")]
    ArchiveScan(String),
    /// No record.
    #[error("{0}")]
    Record(#[from] RecordError),
    /// A comparison that ended early: whoever is measured could have ended it when it liked what
    /// it saw.
    #[error("the comparison was not finished, so that it decides nothing")]
    Unfinished,
    /// A record that no comparison makes.
    #[error("the record is not a sensible one: {0}")]
    Beyond(String),
}

/// Takes a record out of an archive.
///
/// # Errors
/// Why it is refused.
pub fn take(archive: &Path, limits: &IntakeLimits) -> Result<RunRecord, IntakeRefusal> {
    let unreadable =
        |source| IntakeRefusal::Unreadable { path: archive.display().to_string(), source };
    let file = File::open(archive).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    if size > limits.archive {
        return Err(IntakeRefusal::Archive { found: size, limit: limits.archive });
    }
    let bytes = unpack::unpack(file, size, limits)?;
    read(&bytes, limits)
}

/// Reads a record.
///
/// # Errors
/// Why it is refused.
pub fn read(bytes: &[u8], limits: &IntakeLimits) -> Result<RunRecord, IntakeRefusal> {
    if bytes.len() as u64 > limits.record {
        return Err(IntakeRefusal::Size { limit: limits.record });
    }
    let text =
        std::str::from_utf8(bytes).map_err(|error| IntakeRefusal::Text(error.valid_up_to()))?;
    // Before anything is built of it: how much would that be?
    scan::scan(text, limits)?;
    let record = RunRecord::from_json(text)?;
    limits::check(&record, limits)?;
    if record.finish.is_none() {
        return Err(IntakeRefusal::Unfinished);
    }
    Ok(record)
}
