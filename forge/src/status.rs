//! Commit statuses, for forges without check runs.

use crate::{ContentKey, Forge, ForgeError};
use http::Method;
use serde::Deserialize;
use serde_json::json;

/// GitHub's limit for a description, in characters.
const DESCRIPTION: usize = 140;

/// The state of a commit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusState {
    /// The measurement is running.
    Pending,
    /// Nothing regressed.
    Success,
    /// Something regressed.
    Failure,
    /// There is no verdict.
    Error,
}

impl StatusState {
    const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Error => "error",
        }
    }
}

/// A status to set.
#[derive(Debug, Clone)]
pub struct StatusContent<'a> {
    /// The commit.
    pub sha: &'a str,
    /// The status's context.
    pub key: &'a ContentKey,
    /// State.
    pub state: StatusState,
    /// Description, one line.
    pub line: &'a str,
    /// Page that the status links to.
    pub link: Option<&'a str>,
}

/// What setting a status did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusOutcome {
    /// It was set.
    Set,
    /// The commit already had this status.
    Unchanged,
    /// Dry run: nothing was sent.
    DryRun,
}

#[derive(Deserialize)]
struct CombinedStatus {
    #[serde(default)]
    statuses: Option<Vec<CommitStatus>>,
}

#[derive(Deserialize)]
struct CommitStatus {
    #[serde(default)]
    context: String,
    /// GitHub calls it `state`, Gitea `status`.
    #[serde(default, alias = "status")]
    state: String,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    target_url: Option<String>,
}

#[derive(Deserialize)]
struct CreatedStatus {}

/// Sets the status, unless the commit already has it.
///
/// # Errors
/// The forge's error.
pub fn set(forge: &Forge, content: &StatusContent<'_>) -> Result<StatusOutcome, ForgeError> {
    let line = cut(content.line, DESCRIPTION);
    let context = content.key.to_string();
    let seen: Option<CombinedStatus> =
        forge.get(&forge.path(&format!("commits/{}/status", content.sha)))?;
    let same = |seen: &CommitStatus| {
        seen.context == context
            && seen.state == content.state.name()
            && seen.description.as_deref() == Some(&*line)
            && seen.target_url.as_deref().unwrap_or_default() == content.link.unwrap_or_default()
    };
    if seen.and_then(|seen| seen.statuses).is_some_and(|all| all.iter().any(same)) {
        return Ok(StatusOutcome::Unchanged);
    }
    let mut body =
        json!({ "state": content.state.name(), "context": context, "description": line });
    if let Some(link) = content.link {
        body["target_url"] = link.into();
    }
    let path = forge.path(&format!("statuses/{}", content.sha));
    let sent: Option<CreatedStatus> = forge.change(Method::POST, &path, &body)?;
    Ok(if sent.is_some() { StatusOutcome::Set } else { StatusOutcome::DryRun })
}

/// Sets a pending status that links to `link` to an error, as its measurement was given up. Returns
/// whether there was one.
///
/// # Errors
/// The forge's error.
pub(crate) fn end(
    forge: &Forge,
    (sha, key): (&str, &ContentKey),
    reason: &str,
    link: &str,
) -> Result<bool, ForgeError> {
    let seen: Option<CombinedStatus> = forge.get(&forge.path(&format!("commits/{sha}/status")))?;
    let context = key.to_string();
    let waits = |seen: &CommitStatus| {
        seen.context == context
            && seen.state == StatusState::Pending.name()
            && seen.target_url.as_deref() == Some(link)
    };
    if !seen.and_then(|seen| seen.statuses).is_some_and(|all| all.iter().any(waits)) {
        return Ok(false);
    }
    let content =
        StatusContent { sha, key, state: StatusState::Error, line: reason, link: Some(link) };
    set(forge, &content).map(|_| true)
}

/// Cuts a text to a number of characters; an ellipsis marks the cut.
pub(crate) fn cut(text: &str, characters: usize) -> String {
    if text.chars().count() <= characters {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(characters - 1).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_between_characters() {
        assert_eq!(cut("short", 10), "short");
        assert_eq!(cut("äöüäöü", 4), "äöü…");
        assert_eq!(cut(&"x".repeat(500), DESCRIPTION).chars().count(), DESCRIPTION);
    }
}
