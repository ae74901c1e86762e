//! What is stored: run records, and numbers that other tools measured.

use crate::{StoreError, canonical};
use protocol::{Better, RunRecord, SubjectEntry};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Version of the layout of an [`Import`].
pub const IMPORT_SCHEMA: u64 = 1;

/// What a series of numbers is about. Words rather than types: an imported past has its own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Series {
    /// Name under which the subject is followed from run to run, for example `rustls@git:HEAD`.
    pub subject: String,
    /// Scenario id, or the benchmark's name in an imported past.
    pub scenario: String,
    /// Side, by its name.
    pub side: String,
    /// Metric, by its name.
    pub metric: String,
    /// Unit of the values.
    pub unit: String,
    /// Which way is better.
    pub better: Better,
}

/// What one run says about one series: the numbers that the index answers from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What it is about.
    pub series: Series,
    /// The value, in the series' unit: the median of the run's trials.
    pub median: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// Trials behind it.
    pub n: u32,
}

/// Numbers that another tool measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// [`IMPORT_SCHEMA`] of the writer.
    pub imported: u64,
    /// Format that they were read from, for example `rustls-bench`.
    pub from: String,
    /// When they were measured, in milliseconds since 1970 UTC.
    pub started_ms: u64,
    /// Name of the host, as the caller says it.
    pub host: String,
    /// Epoch of the host; numbers are compared inside one epoch only.
    pub epoch: String,
    /// Revision of each subject, where it is known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub revisions: BTreeMap<String, String>,
    /// The numbers.
    pub rows: Vec<Row>,
}

/// One stored file.
#[derive(Debug, Clone, PartialEq)]
pub enum Document {
    /// A run of ours.
    Run(Box<RunRecord>),
    /// A run of another tool.
    Import(Import),
}

impl Document {
    /// Reads and checks a text from outside; gives the document and its canonical text.
    ///
    /// # Errors
    /// Says what is wrong with the text.
    pub fn from_outside(text: &str) -> Result<(Self, String), StoreError> {
        let value: Value = match serde_json::from_str(text) {
            Ok(value) => value,
            // The record's own reader words this error better.
            Err(_) => return Err(RunRecord::from_json(text).map(|_| ()).unwrap_err().into()),
        };
        let canonical = canonical::text(&value);
        if value.get("imported").is_none() {
            let record = RunRecord::from_json(&canonical)?;
            return Ok((Self::Run(Box::new(record)), canonical));
        }
        let schema = value["imported"].as_u64();
        if schema != Some(IMPORT_SCHEMA) {
            return Err(refuse(format!(
                "imported numbers have layout {}; this program reads {IMPORT_SCHEMA}",
                value["imported"]
            )));
        }
        let import: Import = serde_json::from_value(value)
            .map_err(|error| refuse(format!("imported numbers don't fit: {error}")))?;
        if let Some(row) = import.rows.iter().find(|row| !sound(row)) {
            return Err(refuse(format!("{} has values that no run has", row.series.scenario)));
        }
        Ok((Self::Import(import), canonical))
    }

    /// Reads a stored text, whose digest was checked: it went through [`Self::from_outside`].
    pub(crate) fn from_store(text: &str) -> Result<Self, serde_json::Error> {
        // Canonical keys are in order, so that only an import begins with this one, or a
        // record of a newer program.
        if text.starts_with("{\"epoch\":\"")
            && let Ok(import) = serde_json::from_str(text)
        {
            return Ok(Self::Import(import));
        }
        Ok(Self::Run(serde_json::from_str(text)?))
    }

    /// Start, in milliseconds since 1970 UTC.
    pub fn started_ms(&self) -> u64 {
        match self {
            Self::Run(record) => record.started_ms,
            Self::Import(import) => import.started_ms,
        }
    }

    /// Host epoch.
    pub fn epoch(&self) -> &str {
        match self {
            Self::Run(record) => &record.host.epoch.id,
            Self::Import(import) => &import.epoch,
        }
    }

    /// Host name.
    pub fn host(&self) -> &str {
        match self {
            Self::Run(record) => &record.host.name,
            Self::Import(import) => &import.host,
        }
    }

    /// Suite of a run, format of an import.
    pub fn suite(&self) -> &str {
        match self {
            Self::Run(record) => &record.plan.suite,
            Self::Import(import) => &import.from,
        }
    }

    /// What each subject was.
    pub fn builds(&self) -> Vec<Build> {
        match self {
            Self::Run(record) => {
                let names = record.followed_names().into_iter();
                names.zip(&record.subjects).map(|(name, entry)| build(name, entry)).collect()
            }
            Self::Import(import) => {
                let known = import.revisions.iter();
                known
                    .map(|(subject, revision)| Build {
                        subject: subject.clone(),
                        revision: revision.clone(),
                        repository: None,
                    })
                    .collect()
            }
        }
    }
}

/// What a subject was in one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// Name under which the subject is followed.
    pub subject: String,
    /// Commit of a git subject, `tree:` and digest of a folder, else the resolved name.
    pub revision: String,
    /// Repository of a git subject, as it was fetched from.
    pub repository: Option<String>,
}

fn build(subject: String, entry: &SubjectEntry) -> Build {
    let source = &entry.artifact.source;
    let digest = source.sha256.get(..16).unwrap_or(&source.sha256);
    let revision = match (&source.revision, source.kind.as_str()) {
        (Some(revision), _) => revision.clone(),
        (None, "path") => format!("tree:{digest}"),
        (None, _) => entry.artifact.subject.to_string(),
    };
    let repository = (source.kind == "git").then(|| source.origin.clone());
    Build { subject, revision, repository }
}

fn sound(row: &Row) -> bool {
    [row.median, row.low, row.high].iter().all(|value| value.is_finite())
        && row.low <= row.median
        && row.median <= row.high
}

fn refuse(reason: String) -> StoreError {
    StoreError::Refused { reason, kept: None }
}
