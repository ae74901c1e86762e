//! Taking in what a stranger hands over: a zip with one record, and what explains it. Every step has its
//! limit, and nothing is trusted that can't be checked.

mod explanation;
mod limits;
mod scan;
mod unpack;

#[cfg(test)]
mod tests;

pub use limits::IntakeLimits;
pub use unpack::RECORD;

use shakedown_culprits::ComparisonExplanation;
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
    /// Something other than `record.json` and `explanation.json`.
    #[error(
        "the archive holds `{name}`: {reason}. It must hold record.json, and explanation.json if there \
         is one, and nothing else"
    )]
    Entry {
        /// Name of the entry.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A file is larger than anything sensible.
    #[error("{name} unpacks to more than {limit} bytes")]
    Size {
        /// Which.
        name: &'static str,
        /// What is taken.
        limit: u64,
    },
    /// It was packed too well to be what it is called.
    #[error("{name} unpacks to more than {limit} times its packed size: a bomb")]
    Ratio {
        /// Which.
        name: &'static str,
        /// What is taken.
        limit: u64,
    },
    /// Not text.
    #[error("{name} is not text (byte {at} is not UTF-8)")]
    Text {
        /// Which file.
        name: &'static str,
        /// The first byte that is none.
        at: usize,
    },
    /// JSON that nobody needs.
    #[error("{name} is not sensible JSON: {why}")]
    ArchiveScan {
        /// Which file.
        name: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// No explanation of this record.
    #[error("the explanation is not taken: {0}")]
    Explanation(String),
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

/// What an archive held.
#[derive(Debug)]
pub struct TakenArtifact {
    /// The record.
    pub record: RunRecord,
    /// What explains it, or why that is not taken, where the archive has an explanation. Without it the
    /// record is as good.
    pub explanation: Option<Result<ComparisonExplanation, IntakeRefusal>>,
}

/// Takes a record out of an archive, and what explains it.
///
/// # Errors
/// Why the record is refused.
pub fn take(archive: &Path, limits: &IntakeLimits) -> Result<TakenArtifact, IntakeRefusal> {
    let unreadable =
        |source| IntakeRefusal::Unreadable { path: archive.display().to_string(), source };
    let file = File::open(archive).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    if size > limits.archive {
        return Err(IntakeRefusal::Archive { found: size, limit: limits.archive });
    }
    let unpacked = unpack::unpack(file, size, limits)?;
    let record = read(&unpacked.record, limits)?;
    let of = (&record, &*unpacked.record);
    let explained = |bytes: Result<Vec<u8>, _>| explanation::read(&bytes?, of, limits);
    let explanation = unpacked.explanation.map(explained);
    Ok(TakenArtifact { record, explanation })
}

/// Reads a record.
///
/// # Errors
/// Why it is refused.
pub fn read(bytes: &[u8], limits: &IntakeLimits) -> Result<RunRecord, IntakeRefusal> {
    let record = RunRecord::from_json(text_of(bytes, (RECORD, limits.record), limits)?)?;
    limits::check(&record, limits)?;
    if record.finish.is_none() {
        return Err(IntakeRefusal::Unfinished);
    }
    Ok(record)
}

/// The JSON text of a file, within the limits.
fn text_of<'a>(
    bytes: &'a [u8],
    (name, limit): (&'static str, u64),
    limits: &IntakeLimits,
) -> Result<&'a str, IntakeRefusal> {
    if bytes.len() as u64 > limit {
        return Err(IntakeRefusal::Size { name, limit });
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| IntakeRefusal::Text { name, at: error.valid_up_to() })?;
    // Before anything is built of it: how much would that be?
    scan::scan(text, limits).map_err(|why| IntakeRefusal::ArchiveScan { name, why })?;
    Ok(text)
}

/// The start of a text that a stranger may have written, with everything escaped.
fn quoted(text: &str) -> String {
    text.chars().take(200).flat_map(char::escape_default).collect()
}
