//! The revisions behind the numbers of a run.

use shakedown_protocol::SubjectEntry;

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

impl Build {
    /// What `entry` was, followed under the name `subject`.
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
