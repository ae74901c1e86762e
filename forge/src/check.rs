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
    /// The measurement was given up before it had one.
    Cancelled,
}

impl Conclusion {
    /// As GitHub names it; `None` while the run is in progress.
    const fn name(self) -> Option<&'static str> {
        match self {
            Self::Pending => None,
            Self::Success => Some("success"),
            Self::Neutral => Some("neutral"),
            Self::Failure | Self::Broken => Some("failure"),
            Self::Cancelled => Some("cancelled"),
        }
    }

    /// The same as the state of a commit status.
    pub const fn state(self) -> StatusState {
        match self {
            Self::Pending => StatusState::Pending,
            Self::Success | Self::Neutral => StatusState::Success,
            Self::Failure => StatusState::Failure,
            Self::Broken | Self::Cancelled => StatusState::Error,
        }
    }
}

/// What a check run is about. One commit may be the head of several pull requests.
#[derive(Debug, Clone, Copy)]
pub struct CheckedPullRequest<'a> {
    /// Number of the pull request.
    pub number: u64,
    /// Commit that head is compared with.
    pub base: &'a str,
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
    /// The pull request that was measured, if it was one.
    pub about: Option<CheckedPullRequest<'a>>,
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

/// Why a check run in progress ends when a newer one takes its place.
const REPLACED: &str = "replaced by a newer measurement of this commit";

#[derive(Debug, Deserialize)]
struct CheckRun {
    id: u64,
    #[serde(default)]
    name: String,
    #[serde(default)]
    external_id: Option<String>,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    app: Option<CheckApp>,
}

#[derive(Debug, Deserialize)]
struct CheckApp {
    #[serde(default)]
    slug: String,
}

impl CheckRun {
    fn attempt(&self) -> Option<RunAttempt> {
        let stamp = self.external_id.as_deref()?.strip_prefix(STAMP)?;
        stamp.split('/').next()?.parse().ok()
    }

    fn is_open(&self) -> bool {
        self.status.as_deref().is_some_and(|status| status != "completed")
    }
}

/// Begins the external id: what follows is the run's attempt, the pull request and the base.
const STAMP: &str = "shakedown:";

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

/// Ends the check run of a run's attempt, if it is still in progress, without a verdict. `link` is that
/// of the status, which has no other mark of the run. Returns whether there was one.
///
/// # Errors
/// The forge's error.
pub fn end(
    forge: &Forge,
    (sha, key): (&str, &ContentKey),
    attempt: RunAttempt,
    (reason, link): (&str, &str),
) -> Result<bool, ForgeError> {
    let ours = match ours(forge, sha, key) {
        Err(error) if matches!(error.status(), Some(403 | 404)) => {
            return status::end(forge, (sha, key), reason, link);
        }
        other => other?,
    };
    let mut ended = false;
    for (_, run) in ours.iter().filter(|(of, run)| *of == attempt && run.is_open()) {
        cancel(forge, run.id, reason)?;
        ended = true;
    }
    Ok(ended)
}

fn upsert_run(forge: &Forge, content: &CheckRunContent<'_>) -> Result<WriteOutcome, ForgeError> {
    let ours = ours(forge, content.sha, content.key)?;
    let mut top = (content.attempt, None);
    for (attempt, run) in &ours {
        // A stamp ahead of everything that ever ran would silence us for good.
        if *attempt > top.0 && forge.has_run(*attempt)? {
            top = (*attempt, Some(run.id));
        }
    }
    let same = ours.iter().filter(|(attempt, _)| *attempt == content.attempt);
    let outcome = match (top.1, same.map(|(_, run)| run.id).max()) {
        (Some(newer), _) => WriteOutcome::Superseded(newer),
        (None, Some(id)) => {
            let path = forge.path(&format!("check-runs/{id}"));
            let sent: Option<CheckRun> = forge.change(Method::PATCH, &path, &body(content))?;
            sent.map_or(WriteOutcome::DryRun, |run| WriteOutcome::Updated(run.id))
        }
        (None, None) => {
            let mut body = body(content);
            body["head_sha"] = content.sha.into();
            let sent: Option<CheckRun> =
                forge.change(Method::POST, &forge.path("check-runs"), &body)?;
            sent.map_or(WriteOutcome::DryRun, |run| WriteOutcome::Created(run.id))
        }
    };
    for (_, run) in ours.iter().filter(|(attempt, run)| *attempt < top.0 && run.is_open()) {
        cancel(forge, run.id, REPLACED)?;
    }
    Ok(outcome)
}

/// The commit's check runs of this name that carry our stamp. On GitHub, those of other apps do not count:
/// whoever may write check runs may give them any name and id.
fn ours(
    forge: &Forge,
    sha: &str,
    key: &ContentKey,
) -> Result<Vec<(RunAttempt, CheckRun)>, ForgeError> {
    let path = forge.path(&format!("commits/{sha}/check-runs?filter=all"));
    let all: Vec<Value> = forge.list(&path, "check_runs")?;
    let runs = all.into_iter().filter_map(|run| serde_json::from_value::<CheckRun>(run).ok());
    let named = runs.filter(|run| run.name == key.to_string());
    let mut ours: Vec<_> = named.filter_map(|run| Some((run.attempt()?, run))).collect();
    if ours.is_empty() {
        return Ok(ours);
    }
    // The tokens of a user tell no app.
    if let Some(app) = forge.author()?.strip_suffix("[bot]") {
        ours.retain(|(_, run)| run.app.as_ref().is_some_and(|one| one.slug == app));
    }
    Ok(ours)
}

fn cancel(forge: &Forge, id: u64, reason: &str) -> Result<(), ForgeError> {
    let body = json!({
        "status": "completed", "conclusion": Conclusion::Cancelled.name(),
        "output": { "title": status::cut(reason, TITLE), "summary": reason },
    });
    let path = forge.path(&format!("check-runs/{id}"));
    let _: Option<CheckRun> = forge.change(Method::PATCH, &path, &body)?;
    Ok(())
}

/// Characters of a title.
const TITLE: usize = 250;

fn body(content: &CheckRunContent<'_>) -> Value {
    let about = content.about.map(|pull| format!("/{}/{}", pull.number, pull.base));
    let mut body = json!({
        "name": content.key.to_string(),
        "external_id": format!("{STAMP}{}{}", content.attempt, about.unwrap_or_default()),
        "output": { "title": status::cut(content.title, TITLE), "summary": content.text },
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
