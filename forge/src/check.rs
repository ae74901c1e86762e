//! Check runs of a commit.

use crate::{
    ContentKey, Forge, ForgeError, RunAttempt, WriteOutcome,
    status::{self, StatusContent, StatusOutcome, StatusState},
};
use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

/// Conclusion of a check run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conclusion {
    /// The measurement is running.
    Pending,
    /// Nothing regressed.
    Success,
    /// Nothing regressed, but not everything could be decided.
    Neutral,
    /// Something regressed.
    Failure,
    /// There is no verdict.
    Broken,
}

impl Conclusion {
    /// As GitHub names it; `None` while the run is in progress.
    const fn name(self) -> Option<&'static str> {
        match self {
            Self::Pending => None,
            Self::Success => Some("success"),
            Self::Neutral => Some("neutral"),
            Self::Failure | Self::Broken => Some("failure"),
        }
    }

    /// The same as the state of a commit status.
    pub const fn state(self) -> StatusState {
        match self {
            Self::Pending => StatusState::Pending,
            Self::Success | Self::Neutral => StatusState::Success,
            Self::Failure => StatusState::Failure,
            Self::Broken => StatusState::Error,
        }
    }
}

/// A check run to create or update.
#[derive(Debug, Clone)]
pub struct CheckRunContent<'a> {
    /// The commit.
    pub sha: &'a str,
    /// The check run's name.
    pub key: &'a ContentKey,
    /// The run that writes.
    pub attempt: RunAttempt,
    /// Conclusion.
    pub conclusion: Conclusion,
    /// The verdict in one line.
    pub title: &'a str,
    /// The summary, in Markdown.
    pub text: &'a str,
    /// Page that the check run links to.
    pub link: Option<&'a str>,
}

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckOutcome {
    /// A check run.
    CheckRun(WriteOutcome),
    /// A commit status, because the forge has no check runs or the token may not write them.
    Status(StatusOutcome),
}

#[derive(Debug, Deserialize)]
struct CheckRun {
    id: u64,
    #[serde(default)]
    external_id: Option<String>,
}

impl CheckRun {
    fn attempt(&self) -> Option<RunAttempt> {
        self.external_id.as_deref()?.strip_prefix("shakedown:")?.parse().ok()
    }
}

/// Creates or updates the check run. Where the forge has none (404), or the token may not write
/// them (403), sets the commit status instead.
///
/// # Errors
/// The forge's error.
pub fn upsert(forge: &Forge, content: &CheckRunContent<'_>) -> Result<CheckOutcome, ForgeError> {
    match upsert_run(forge, content) {
        Err(error) if matches!(error.status(), Some(403 | 404)) => {
            let status = StatusContent {
                sha: content.sha,
                key: content.key,
                state: content.conclusion.state(),
                line: content.title,
                link: content.link,
            };
            status::set(forge, &status).map(CheckOutcome::Status)
        }
        other => other.map(CheckOutcome::CheckRun),
    }
}

fn upsert_run(forge: &Forge, content: &CheckRunContent<'_>) -> Result<WriteOutcome, ForgeError> {
    let path = forge.path(&format!("commits/{}/check-runs?filter=all", content.sha));
    let name = content.key.to_string();
    let all: Vec<Value> = forge.list(&path, "check_runs")?;
    let ours = all.into_iter().filter(|run| run["name"] == name.as_str());
    let ours = ours.filter_map(|run| serde_json::from_value::<CheckRun>(run).ok());
    let newest = ours.filter_map(|run| Some((run.attempt()?, run.id))).max();
    match newest {
        Some((attempt, id)) if attempt > content.attempt => Ok(WriteOutcome::Superseded(id)),
        Some((attempt, id)) if attempt == content.attempt => {
            let path = forge.path(&format!("check-runs/{id}"));
            let sent: Option<CheckRun> = forge.change(Method::PATCH, &path, &body(content))?;
            Ok(sent.map_or(WriteOutcome::DryRun, |run| WriteOutcome::Updated(run.id)))
        }
        _ => {
            let path = forge.path("check-runs");
            let mut body = body(content);
            body["head_sha"] = content.sha.into();
            let sent: Option<CheckRun> = forge.change(Method::POST, &path, &body)?;
            Ok(sent.map_or(WriteOutcome::DryRun, |run| WriteOutcome::Created(run.id)))
        }
    }
}

fn body(content: &CheckRunContent<'_>) -> Value {
    let mut body = json!({
        "name": content.key.to_string(),
        "external_id": format!("shakedown:{}", content.attempt),
        "output": { "title": status::cut(content.title, 250), "summary": content.text },
    });
    match content.conclusion.name() {
        Some(conclusion) => {
            body["status"] = "completed".into();
            body["conclusion"] = conclusion.into();
        }
        None => body["status"] = "in_progress".into(),
    }
    if let Some(link) = content.link {
        body["details_url"] = link.into();
    }
    body
}
