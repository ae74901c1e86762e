//! Issues: one for each cause, updated instead of repeated, closed when the cause is gone.

use crate::{ContentKey, Forge, ForgeError, RunAttempt, WriteOutcome, marker, pull::User};
use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

const KIND: &str = "issue";

/// An issue to open or update.
#[derive(Debug, Clone)]
pub struct IssueContent<'a> {
    /// Identifies the cause.
    pub key: &'a ContentKey,
    /// Title.
    pub title: &'a str,
    /// Text, in Markdown, without the marker.
    pub text: &'a str,
    /// Labels for a new issue; those of an existing one are not changed.
    pub labels: &'a [String],
    /// Login under which our issues are opened. Issues of other users are never changed.
    pub author: &'a str,
}

#[derive(Debug, Clone, Deserialize)]
struct Issue {
    number: u64,
    #[serde(default)]
    title: String,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    user: Option<User>,
    #[serde(default)]
    pull_request: Option<Value>,
}

/// One of our open issues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenIssue {
    /// Number.
    pub number: u64,
    /// Identifies its cause.
    pub key: ContentKey,
    title: String,
    body: String,
}

/// All our open issues, oldest first.
///
/// # Errors
/// The forge's error.
pub fn open(forge: &Forge, author: &str) -> Result<Vec<OpenIssue>, ForgeError> {
    let all: Vec<Issue> = forge.list(&forge.path("issues?state=open"), "")?;
    let mut ours: Vec<OpenIssue> = all
        .into_iter()
        .filter(|issue| issue.pull_request.is_none())
        .filter(|issue| issue.user.as_ref().is_some_and(|user| user.login == author))
        .filter_map(|issue| {
            let body = issue.body?.replace("\r\n", "\n");
            let (_, rest) = body.lines().next()?.split_once("shakedown:issue key=")?;
            let key: ContentKey = rest.split(' ').next()?.parse().ok()?;
            marker::read(KIND, &key, &body)?;
            Some(OpenIssue { number: issue.number, key, title: issue.title, body })
        })
        .collect();
    ours.sort_by_key(|issue| issue.number);
    Ok(ours)
}

/// Ensures that exactly one open issue has this key, with this title and text.
///
/// # Errors
/// The forge's error.
pub fn upsert(forge: &Forge, content: &IssueContent<'_>) -> Result<WriteOutcome, ForgeError> {
    let text =
        format!("{}\n{}", marker::line(KIND, content.key, RunAttempt::default()), content.text);
    let mut opened = None;
    loop {
        let mut ours = open(forge, content.author)?;
        ours.retain(|issue| issue.key == *content.key);
        let Some((keep, rest)) = ours.split_first() else {
            // Somebody has already closed the issue that was just opened: leave it closed.
            if let Some(number) = opened {
                return Ok(WriteOutcome::Created(number));
            }
            let mut body = json!({ "title": content.title, "body": text });
            if !content.labels.is_empty() {
                body["labels"] = json!(content.labels);
            }
            let path = forge.path("issues");
            let sent: Option<Issue> = forge.change(Method::POST, &path, &body)?;
            let Some(sent) = sent else { return Ok(WriteOutcome::DryRun) };
            opened = Some(sent.number);
            continue;
        };
        for twin in rest {
            close_one(forge, twin.number, &format!("Duplicate of #{}.", keep.number))?;
        }
        if keep.title != content.title || keep.body != text {
            let body = json!({ "title": content.title, "body": text });
            let path = forge.path(&format!("issues/{}", keep.number));
            let _: Option<Issue> = forge.change(Method::PATCH, &path, &body)?;
            return Ok(WriteOutcome::Updated(keep.number));
        }
        return Ok(match opened {
            Some(number) if number == keep.number => WriteOutcome::Created(number),
            _ => WriteOutcome::Unchanged(keep.number),
        });
    }
}

/// Closes the open issues with this key, with `why` as a last comment. Returns their numbers.
///
/// # Errors
/// The forge's error.
pub fn close(
    forge: &Forge,
    key: &ContentKey,
    author: &str,
    why: &str,
) -> Result<Vec<u64>, ForgeError> {
    let mut closed = Vec::new();
    for issue in open(forge, author)?.iter().filter(|issue| issue.key == *key) {
        close_one(forge, issue.number, why)?;
        closed.push(issue.number);
    }
    Ok(closed)
}

fn close_one(forge: &Forge, number: u64, why: &str) -> Result<(), ForgeError> {
    let path = forge.path(&format!("issues/{number}/comments"));
    let _: Option<Value> = forge.change(Method::POST, &path, &json!({ "body": why }))?;
    let path = forge.path(&format!("issues/{number}"));
    let body = json!({ "state": "closed", "state_reason": "completed" });
    let _: Option<Issue> = forge.change(Method::PATCH, &path, &body)?;
    Ok(())
}
