//! Issues: one a cause, updated rather than repeated, closed when the cause is gone.

use crate::{Forge, ForgeError, Key, Stamp, marker, pull::User};
use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};

const KIND: &str = "issue";

/// What to open.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// The cause.
    pub key: &'a Key,
    /// Title.
    pub title: &'a str,
    /// Text, in Markdown.
    pub text: &'a str,
    /// Labels, for new issues.
    pub labels: &'a [String],
    /// Login of whoever opens our issues; others' are left alone.
    pub author: &'a str,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// There was none.
    Opened(u64),
    /// It said something else.
    Updated(u64),
    /// It said so already.
    Unchanged(u64),
    /// Nothing was sent.
    Planned,
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

/// An open issue of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Open {
    /// Its number.
    pub number: u64,
    /// Its cause.
    pub key: Key,
    title: String,
    body: String,
}

/// Every open issue of ours, oldest first.
///
/// # Errors
/// What the forge said.
pub fn open(forge: &Forge, author: &str) -> Result<Vec<Open>, ForgeError> {
    let all: Vec<Issue> = forge.list(&forge.path("issues?state=open"), "")?;
    let mut ours: Vec<Open> = all
        .into_iter()
        .filter(|issue| issue.pull_request.is_none())
        .filter(|issue| issue.user.as_ref().is_some_and(|user| user.login == author))
        .filter_map(|issue| {
            let body = issue.body?.replace("\r\n", "\n");
            let (_, rest) = body.lines().next()?.split_once("shakedown:issue key=")?;
            let key: Key = rest.split(' ').next()?.parse().ok()?;
            marker::read(KIND, &key, &body)?;
            Some(Open { number: issue.number, key, title: issue.title, body })
        })
        .collect();
    ours.sort_by_key(|issue| issue.number);
    Ok(ours)
}

/// Makes exactly one open issue of this cause, with this text.
///
/// # Errors
/// What the forge said.
pub fn put(forge: &Forge, wanted: &Wanted<'_>) -> Result<Put, ForgeError> {
    let text = format!("{}\n{}", marker::line(KIND, wanted.key, Stamp::default()), wanted.text);
    let mut opened = None;
    loop {
        let mut ours = open(forge, wanted.author)?;
        ours.retain(|issue| issue.key == *wanted.key);
        let Some((keep, rest)) = ours.split_first() else {
            // Just opened, and closed by somebody already: that is an answer too.
            if let Some(number) = opened {
                return Ok(Put::Opened(number));
            }
            let mut body = json!({ "title": wanted.title, "body": text });
            if !wanted.labels.is_empty() {
                body["labels"] = json!(wanted.labels);
            }
            let path = forge.path("issues");
            let sent: Option<Issue> = forge.change(Method::POST, &path, &body)?;
            let Some(sent) = sent else { return Ok(Put::Planned) };
            opened = Some(sent.number);
            continue;
        };
        for twin in rest {
            shut(forge, twin.number, &format!("The same as #{}.", keep.number))?;
        }
        if keep.title != wanted.title || keep.body != text {
            let body = json!({ "title": wanted.title, "body": text });
            let path = forge.path(&format!("issues/{}", keep.number));
            let _: Option<Issue> = forge.change(Method::PATCH, &path, &body)?;
            return Ok(Put::Updated(keep.number));
        }
        return Ok(match opened {
            Some(number) if number == keep.number => Put::Opened(number),
            _ => Put::Unchanged(keep.number),
        });
    }
}

/// Closes the open issues of a cause, saying why. Returns their numbers.
///
/// # Errors
/// What the forge said.
pub fn close(forge: &Forge, key: &Key, author: &str, why: &str) -> Result<Vec<u64>, ForgeError> {
    let mut closed = Vec::new();
    for issue in open(forge, author)?.iter().filter(|issue| issue.key == *key) {
        shut(forge, issue.number, why)?;
        closed.push(issue.number);
    }
    Ok(closed)
}

fn shut(forge: &Forge, number: u64, why: &str) -> Result<(), ForgeError> {
    let path = forge.path(&format!("issues/{number}/comments"));
    let _: Option<Value> = forge.change(Method::POST, &path, &json!({ "body": why }))?;
    let path = forge.path(&format!("issues/{number}"));
    let body = json!({ "state": "closed", "state_reason": "completed" });
    let _: Option<Issue> = forge.change(Method::PATCH, &path, &body)?;
    Ok(())
}
