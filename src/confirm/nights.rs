//! The two nights on both sides of a change, and what to build so that it is what they measured.

use anyhow::{Context, Result, bail};
use shakedown_protocol::{RunRecord, Subject, SubjectEntry, SubjectVersion};
use shakedown_store::{Document, Store, change::Suspect};

/// The records of the nights on both sides of a change.
pub struct Nights {
    pub good: RunRecord,
    pub bad: RunRecord,
    subject: String,
}

impl Nights {
    /// Reads both from the history.
    pub fn read(store: &Store, suspect: &Suspect) -> Result<Self> {
        let read = |run: &str| -> Result<RunRecord> {
            match store.document(&run.parse()?)? {
                Document::Run(record) => Ok(*record),
                Document::Import(import) => bail!(
                    "{run} was imported from {}: what another tool built can't be measured again here",
                    import.from
                ),
            }
        };
        Ok(Self {
            good: read(&suspect.last_good_run)?,
            bad: read(&suspect.first_bad_run)?,
            subject: suspect.series.subject.clone(),
        })
    }

    pub fn good(&self) -> Result<&SubjectEntry> {
        entry(&self.good, &self.subject)
    }

    pub fn bad(&self) -> Result<&SubjectEntry> {
        entry(&self.bad, &self.subject)
    }
}

fn entry<'a>(record: &'a RunRecord, subject: &str) -> Result<&'a SubjectEntry> {
    let at = record.followed_names().iter().position(|name| name == subject);
    at.map(|at| &record.subjects[at])
        .with_context(|| format!("run {} has no subject `{subject}`", record.id))
}

/// One of the two revisions, on its way to being built again.
pub struct MeasuredNight {
    pub subject: Subject,
    /// SHA-256 that its source must have; `None` where it moves with the project.
    pub source: Option<String>,
}

impl MeasuredNight {
    /// What to build so that it is what was built that night, or what the user says it is.
    pub fn new(night: &SubjectEntry, named: Option<&Subject>) -> Result<Self> {
        let artifact = &night.artifact;
        let source = (artifact.source.kind != "driver").then(|| artifact.source.sha256.clone());
        let subject = match named {
            Some(named) => named.clone(),
            None => again(night)?,
        };
        Ok(Self { subject, source })
    }
}

/// The subject under a name that means the same code on any day.
fn again(night: &SubjectEntry) -> Result<Subject> {
    let source = &night.artifact.source;
    let mut subject = night.artifact.subject.clone();
    if source.kind == "path" {
        let kept = shakedown_builder::default_cache()?.join("sources").join(&source.sha256);
        if !kept.is_dir() {
            bail!(
                "the folder {} as it was that night (SHA-256 {}) is not in the build cache any more: \
                 name a copy with --last-good or --first-bad",
                source.origin,
                source.sha256
            );
        }
        subject.version = SubjectVersion::Path(kept.display().to_string());
    } else if let (SubjectVersion::Git { revision, .. }, Some(commit)) =
        (&mut subject.version, &source.revision)
    {
        revision.clone_from(commit);
    }
    Ok(subject)
}
