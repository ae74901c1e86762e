//! The status of a commit: one line with a colour, for forges without check runs.

use crate::{Forge, ForgeError, Key};
use http::Method;
use serde::Deserialize;
use serde_json::json;

/// Characters that GitHub takes in a description.
const DESCRIPTION: usize = 140;

/// The colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Still being measured.
    Pending,
    /// Green.
    Success,
    /// Red: something regressed.
    Failure,
    /// Red: nothing could be said.
    Error,
}

impl State {
    const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Success => "success",
            Self::Failure => "failure",
            Self::Error => "error",
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
    /// The colour.
    pub state: State,
    /// The line.
    pub line: &'a str,
    /// Where a click leads.
    pub link: Option<&'a str>,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// It was set.
    Set,
    /// It stood there already.
    Unchanged,
    /// Nothing was sent.
    Planned,
}

#[derive(Deserialize)]
struct Combined {
    #[serde(default)]
    statuses: Option<Vec<Seen>>,
}

#[derive(Deserialize)]
struct Seen {
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
struct Sent {}

/// Sets the status, unless it stands there already.
///
/// # Errors
/// What the forge said.
pub fn put(forge: &Forge, wanted: &Wanted<'_>) -> Result<Put, ForgeError> {
    let line = cut(wanted.line, DESCRIPTION);
    let context = wanted.key.to_string();
    let seen: Option<Combined> =
        forge.get(&forge.path(&format!("commits/{}/status", wanted.sha)))?;
    let same = |seen: &Seen| {
        seen.context == context
            && seen.state == wanted.state.name()
            && seen.description.as_deref() == Some(&*line)
            && seen.target_url.as_deref().unwrap_or_default() == wanted.link.unwrap_or_default()
    };
    if seen.and_then(|seen| seen.statuses).is_some_and(|all| all.iter().any(same)) {
        return Ok(Put::Unchanged);
    }
    let mut body = json!({ "state": wanted.state.name(), "context": context, "description": line });
    if let Some(link) = wanted.link {
        body["target_url"] = link.into();
    }
    let path = forge.path(&format!("statuses/{}", wanted.sha));
    let sent: Option<Sent> = forge.change(Method::POST, &path, &body)?;
    Ok(if sent.is_some() { Put::Set } else { Put::Planned })
}

/// The first characters of a text, with a sign where more was.
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
