//! Which issues should be open for the confirmed changes of the history.

use crate::history;
use anyhow::Result;
use shakedown_forge::{
    ContentKey, Forge, ForgeError, WriteOutcome,
    issue::{self, IssueContent},
};
use shakedown_report::{IssueText, change_issue};
use shakedown_store::{
    Index, Store,
    change::{self, Cause, SuspectState, SuspectSummary, came_back},
};
use std::path::Path;

/// What closes an issue.
pub const GONE: &str = "The numbers are back to where they were, or the change was dismissed.";
/// Prefix of the keys of these issues.
pub const PREFIX: &str = "change:";

/// An issue that should be open.
#[derive(Debug)]
pub struct WantedIssue {
    /// The same on every host.
    pub key: ContentKey,
    /// Title and text.
    pub content: IssueText,
}

/// The issues that should be open for the history in `folder`: one for every cause with a
/// confirmed regression that persists. `site` is the URL of the dashboard.
///
/// # Errors
/// If the history can't be read.
pub fn wanted(folder: &Path, site: Option<&str>) -> Result<Vec<WantedIssue>> {
    let store = Store::open(folder)?;
    let (index, _) = Index::open(&store)?;
    let listed = history::listed(&store, &index)?;
    let causes = change::causes(listed.clone());
    let there = causes.iter().filter(|cause| is_there(cause, &listed));
    let issue = |cause: &Cause| {
        let key = format!("{PREFIX}{}", cause.cause).parse()?;
        Ok(WantedIssue { key, content: change_issue(cause, site) })
    };
    there.map(issue).collect()
}

/// Opens or updates an issue for each entry of `wanted`, and closes our other issues whose keys have
/// the prefix, telling why. Returns what was written, and the numbers of the closed issues.
///
/// # Errors
/// Errors of the forge.
pub fn update(
    forge: &Forge,
    wanted: &[WantedIssue],
    (prefix, why): (&str, &str),
    author: &str,
    labels: &[String],
) -> Result<(Vec<WriteOutcome>, Vec<u64>), ForgeError> {
    let mut written = Vec::new();
    for WantedIssue { key, content } in wanted {
        let (title, text) = (&content.title, &content.text);
        written.push(issue::upsert(forge, &IssueContent { key, title, text, labels, author })?);
    }
    let mut closed = Vec::new();
    for open in issue::open(forge, author)? {
        let ours = open.key.to_string().starts_with(prefix);
        if ours && !wanted.iter().any(|one| one.key == open.key) {
            closed.extend(issue::close(forge, &open.key, author, why)?);
        }
    }
    Ok((written, closed))
}

/// Whether some series of the cause has a confirmed regression that has not been recovered.
fn is_there(cause: &Cause, all: &[SuspectSummary]) -> bool {
    let confirmed = |one: &&SuspectSummary| one.worse && one.state == SuspectState::Confirmed;
    cause.suspects.iter().filter(confirmed).any(|one| !came_back(one, all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_store::fixture::listed;

    fn there(all: &[SuspectSummary]) -> Vec<String> {
        let causes = change::causes(all.to_vec());
        let there = causes.iter().filter(|cause| is_there(cause, all));
        there.map(|cause| cause.cause.clone()).collect()
    }

    #[test]
    fn an_issue_is_for_what_is_worse_confirmed_and_still_there() {
        let slow = listed(true, 0.95, 10, SuspectState::Confirmed);
        let better = |factor, state| listed(false, factor, 20, state);
        assert_eq!(there(std::slice::from_ref(&slow)), ["c10"]);
        assert!(there(&[listed(true, 0.95, 10, SuspectState::Suspect)]).is_empty());
        assert!(there(&[listed(false, 1.05, 10, SuspectState::Confirmed)]).is_empty());
        let back = better(1.0 / 0.95, SuspectState::Suspect);
        assert!(there(&[slow.clone(), back]).is_empty());
        // A little better, dismissed, or earlier: it is still there.
        assert_eq!(there(&[slow.clone(), better(1.01, SuspectState::Confirmed)]), ["c10"]);
        assert_eq!(there(&[slow.clone(), better(1.0 / 0.95, SuspectState::Dismissed)]), ["c10"]);
        let earlier = listed(false, 1.0 / 0.95, 5, SuspectState::Confirmed);
        assert_eq!(there(&[slow, earlier]), ["c10"]);
    }
}
