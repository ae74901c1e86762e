//! The revisions behind the numbers of a run.

use shakedown_protocol::SubjectEntry;

/// The revision of a subject in one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// The subject's name in series.
    pub subject: String,
    /// Commit of a git subject, `tree:` and digest of a folder, else the resolved name.
    pub revision: String,
    /// Repository of a git subject.
    pub repository: Option<String>,
}

impl Build {
    /// The revision of `entry`, whose series has the name `subject`.
    pub(crate) fn of(subject: String, entry: &SubjectEntry) -> Self {
        let source = &entry.artifact.source;
        let digest = source.sha256.get(..16).unwrap_or(&source.sha256);
        let revision = match (&source.revision, source.kind.as_str()) {
            (Some(revision), _) => revision.clone(),
            (None, "path") => format!("tree:{digest}"),
            (None, _) => entry.artifact.subject.to_string(),
        };
        let repository = (source.kind == "git").then(|| source.origin.clone());
        Self { subject, revision, repository }
    }
}
