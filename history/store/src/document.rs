//! The two kinds of stored documents: run records, and numbers from other tools.

use crate::{Build, StoreError, canonical};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use shakedown_protocol::{Better, RunPlan, RunRecord, SCHEMA_VERSION};
use std::collections::BTreeMap;

/// Version of the layout of an [`Import`].
pub const IMPORT_SCHEMA: u64 = 1;

/// Identifies a series. Strings instead of types, because imports have names of their own.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SeriesInfo {
    /// The subject's name in the series, for example `rustls@git:HEAD`.
    pub subject: String,
    /// Scenario id, or the name of an imported benchmark.
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

/// The value of one series in one run, as in the index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeriesValue {
    /// The series.
    pub series: SeriesInfo,
    /// The value, in the series' unit: the median of the run's trials.
    pub median: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// Number of trials.
    pub n: u32,
}

/// Numbers from another tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Import {
    /// [`IMPORT_SCHEMA`] of the writer.
    pub imported: u64,
    /// Their format, for example `rustls-bench`.
    pub from: String,
    /// Time of the measurement, in milliseconds since 1970 UTC.
    pub started_ms: u64,
    /// Name of the host, from the caller.
    pub host: String,
    /// Epoch of the host; numbers are compared inside one epoch only.
    pub epoch: String,
    /// Revision of each subject, if known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub revisions: BTreeMap<String, String>,
    /// The numbers.
    pub rows: Vec<SeriesValue>,
}

/// One stored file.
#[derive(Debug, Clone, PartialEq)]
pub enum Document {
    /// A run record.
    Run(Box<RunRecord>),
    /// A run of another tool.
    Import(Import),
}

impl Document {
    /// Parses and checks a text from outside. Returns the document and its canonical text.
    ///
    /// # Errors
    /// Names the mistake in the text.
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

    /// Parses a stored text with a verified digest. [`Self::from_outside`] checked it before, in this
    /// program or in a newer one on another host.
    ///
    /// # Errors
    /// A record of a newer layout. The record is sound, but this program is too old.
    pub(crate) fn from_store(text: &str) -> Result<Self, StoreError> {
        // Canonical keys are in order, so that only an import begins with this one, or a
        // record of a newer program.
        if text.starts_with("{\"epoch\":\"")
            && let Ok(import) = serde_json::from_str::<Import>(text)
            && import.imported == IMPORT_SCHEMA
        {
            return Ok(Self::Import(import));
        }
        match serde_json::from_str::<RunRecord>(text) {
            Ok(record) if record.schema == SCHEMA_VERSION => Ok(Self::Run(Box::new(record))),
            // Rare: the careful reader says what is wrong, at the price of reading again.
            _ => Self::from_outside(text).map(|(document, _)| document),
        }
    }

    /// Start, in milliseconds since 1970 UTC.
    pub fn started_ms(&self) -> u64 {
        match self {
            Self::Run(record) => record.started_ms,
            Self::Import(import) => import.started_ms,
        }
    }

    /// Time of its numbers in their series, in milliseconds since 1970 UTC: its start, or that of the
    /// missed run that it replaces.
    pub fn stands_at_ms(&self) -> u64 {
        match self {
            Self::Run(record) => {
                record.plan.backfill.as_ref().map_or(record.started_ms, |missed| missed.started_ms)
            }
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

    /// Model of the host's CPU; empty where an import does not say it.
    pub(crate) fn cpu(&self) -> &str {
        match self {
            Self::Run(record) => &record.host.cpu.model,
            Self::Import(_) => "",
        }
    }

    /// Suite of a run, format of an import.
    pub fn suite(&self) -> &str {
        match self {
            Self::Run(record) => &record.plan.suite,
            Self::Import(import) => &import.from,
        }
    }

    /// The plan of a run.
    pub(crate) fn plan(&self) -> Option<&RunPlan> {
        match self {
            Self::Run(record) => Some(&record.plan),
            Self::Import(_) => None,
        }
    }

    /// The revision of each subject.
    pub fn builds(&self) -> Vec<Build> {
        match self {
            Self::Run(record) => {
                let names = record.followed_names().into_iter();
                names.zip(&record.subjects).map(|(name, entry)| Build::of(name, entry)).collect()
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

fn sound(row: &SeriesValue) -> bool {
    [row.median, row.low, row.high].iter().all(|value| value.is_finite())
        && row.low <= row.median
        && row.median <= row.high
}

fn refuse(reason: String) -> StoreError {
    StoreError::Refused { reason, kept: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::record;
    use proptest::{prelude::*, sample::select};

    const COMMIT: [&str; 2] =
        ["0123456789abcdef0123456789abcdef01234567", "89abcdef0123456789abcdef0123456789abcdef"];

    /// A record whose subjects were asked for and built as these, named as `shakedown run` does it:
    /// by what was built, with a number where that comes again.
    fn run(subjects: &[(&str, &str)]) -> RunRecord {
        let mut run = record(0, "e1", &[("openssl@3.5.5", [1.0, 2.0])]);
        let first = run.subjects.remove(0);
        let mut count = BTreeMap::<&str, u32>::new();
        for (asked, built) in subjects {
            let count = count.entry(built).or_default();
            *count += 1;
            let mut entry = first.clone();
            entry.name = if *count == 1 { (*built).to_owned() } else { format!("{built}#{count}") };
            entry.asked = asked.parse().unwrap();
            entry.artifact.subject = built.parse().unwrap();
            run.subjects.push(entry);
        }
        run
    }

    #[test]
    fn an_unchanged_pair_is_two_series_and_other_branches_are_their_own() {
        let built = COMMIT.map(|commit| format!("rustls@git:{commit}+ring"));
        let [one, two] = built.each_ref().map(String::as_str);
        let names = |subjects: &[(&str, &str)]| run(subjects).followed_names();
        let head = "rustls@git:HEAD+ring";
        assert_eq!(names(&[(head, one), (head, one)]), [head, "rustls@git:HEAD+ring#2"]);
        assert_eq!(names(&[(head, one), (head, two)]), [head, "rustls@git:HEAD+ring#2"]);
        let branches = ["rustls@git:main+ring", "rustls@git:topic+ring"];
        assert_eq!(names(&[(branches[0], one), (branches[1], one)]), branches);
        let release = ("openssl@3.5", "openssl@3.5.5");
        assert_eq!(
            names(&[release, release, release]),
            ["openssl@3.5.5", "openssl@3.5.5#2", "openssl@3.5.5#3"]
        );
        // In another order on another day, each continues the same series.
        assert_eq!(names(&[release, (head, two)]), ["openssl@3.5.5", head]);
        assert_eq!(names(&[(head, two), release]), [head, "openssl@3.5.5"]);
    }

    #[test]
    fn names_that_are_not_ours_stay_as_they_are() {
        let mut run = run(&[("openssl@3.5", "openssl@3.5.5"), ("openssl@3.5", "openssl@3.5.5")]);
        run.subjects[1].name = "../../<b>".to_owned();
        assert_eq!(run.followed_names(), ["openssl@3.5.5", "../../<b>"]);
        let builds = Document::Run(Box::new(run)).builds();
        assert_eq!(builds[1].subject, "../../<b>");
    }

    proptest! {
        /// Two subjects of one run are never one series: one's points would replace the other's.
        #[test]
        fn no_two_subjects_share_a_name(
            all in proptest::collection::vec((
                select(&["rustls@git:HEAD", "rustls@git:main", "openssl@3.5", "openssl@3.5.5"][..]),
                select(&["rustls@git:0123456789abcdef0123456789abcdef01234567",
                    "rustls@git:89abcdef0123456789abcdef0123456789abcdef", "openssl@3.5.5"][..]),
            ), 1..6)
        ) {
            let names = run(&all).followed_names();
            let distinct: std::collections::BTreeSet<&String> = names.iter().collect();
            prop_assert_eq!(distinct.len(), all.len());
            prop_assert!(!names[0].contains('#'), "the first has no number");
        }
    }
}
