//! The check run of a commit.

use crate::{Forge, ForgeError, Key, Stamp, status};
use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conclusion {
    /// It has not.
    Pending,
    /// Nothing regressed.
    Success,
    /// Nothing fails, but not everything could be decided.
    Neutral,
    /// Something regressed.
    Failure,
    /// Nothing could be said.
    Broken,
}

impl Conclusion {
    /// As check runs have it; `None` while it lasts.
    const fn name(self) -> Option<&'static str> {
        match self {
            Self::Pending => None,
            Self::Success => Some("success"),
            Self::Neutral => Some("neutral"),
            Self::Failure | Self::Broken => Some("failure"),
        }
    }

    /// As statuses have it.
    pub const fn state(self) -> status::State {
        match self {
            Self::Pending => status::State::Pending,
            Self::Success | Self::Neutral => status::State::Success,
            Self::Failure => status::State::Failure,
            Self::Broken => status::State::Error,
        }
    }
}

/// What to set.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// The commit.
    pub sha: &'a str,
    /// What it is called on the commit.
    pub key: &'a Key,
    /// Which run speaks.
    pub stamp: Stamp,
    /// How it ended.
    pub conclusion: Conclusion,
    /// The verdict in one line.
    pub title: &'a str,
    /// The whole, in Markdown.
    pub text: &'a str,
    /// Where a click leads.
    pub link: Option<&'a str>,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// There was none.
    Created(u64),
    /// It said something else.
    Updated(u64),
    /// A newer run has spoken.
    Outdated(u64),
    /// There are no check runs: the status was set.
    Status(status::Put),
    /// Nothing was sent.
    Planned,
}

#[derive(Debug, Deserialize)]
struct Run {
    id: u64,
    #[serde(default)]
    external_id: Option<String>,
}

impl Run {
    fn stamp(&self) -> Option<Stamp> {
        self.external_id.as_deref()?.strip_prefix("shakedown:")?.parse().ok()
    }
}

/// Sets the check run. Where the forge has none (404), or the token may not write them (403),
/// sets the status instead.
///
/// # Errors
/// What the forge said.
pub fn put(forge: &Forge, wanted: &Wanted<'_>) -> Result<Put, ForgeError> {
    match put_run(forge, wanted) {
        Err(error) if matches!(error.status(), Some(403 | 404)) => {
            let status = status::Wanted {
                sha: wanted.sha,
                key: wanted.key,
                state: wanted.conclusion.state(),
                line: wanted.title,
                link: wanted.link,
            };
            status::put(forge, &status).map(Put::Status)
        }
        other => other,
    }
}

fn put_run(forge: &Forge, wanted: &Wanted<'_>) -> Result<Put, ForgeError> {
    let path = forge.path(&format!("commits/{}/check-runs?filter=all", wanted.sha));
    let name = wanted.key.to_string();
    let all: Vec<Value> = forge.list(&path, "check_runs")?;
    let ours = all.into_iter().filter(|run| run["name"] == name.as_str());
    let ours = ours.filter_map(|run| serde_json::from_value::<Run>(run).ok());
    let newest = ours.filter_map(|run| Some((run.stamp()?, run.id))).max();
    match newest {
        Some((stamp, id)) if stamp > wanted.stamp => Ok(Put::Outdated(id)),
        Some((stamp, id)) if stamp == wanted.stamp => {
            let path = forge.path(&format!("check-runs/{id}"));
            let sent: Option<Run> = forge.change(Method::PATCH, &path, &body(wanted))?;
            Ok(sent.map_or(Put::Planned, |run| Put::Updated(run.id)))
        }
        _ => {
            let path = forge.path("check-runs");
            let mut body = body(wanted);
            body["head_sha"] = wanted.sha.into();
            let sent: Option<Run> = forge.change(Method::POST, &path, &body)?;
            Ok(sent.map_or(Put::Planned, |run| Put::Created(run.id)))
        }
    }
}

fn body(wanted: &Wanted<'_>) -> Value {
    let mut body = json!({
        "name": wanted.key.to_string(),
        "external_id": format!("shakedown:{}", wanted.stamp),
        "output": { "title": status::cut(wanted.title, 250), "summary": wanted.text },
    });
    match wanted.conclusion.name() {
        Some(conclusion) => {
            body["status"] = "completed".into();
            body["conclusion"] = conclusion.into();
        }
        None => body["status"] = "in_progress".into(),
    }
    if let Some(link) = wanted.link {
        body["details_url"] = link.into();
    }
    body
}
