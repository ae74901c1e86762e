//! Decides whether a label or a comment may start a measurement. The actor needs write permission. What
//! is measured is the commit that a comment names, or the head at that time: a later push needs another
//! label or comment.

use crate::{
    Forge, ForgeError,
    bench_command::parse,
    event,
    pull::{PullRequest, PullRequestFacts, User},
};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The rules.
#[derive(Debug, Clone)]
pub struct AuthorizationRules<'a> {
    /// Label that starts a measurement.
    pub label: &'a str,
    /// Suite if none is named.
    pub suite: &'a str,
    /// Known suites.
    pub suites: &'a [String],
    /// Whether only administrators may start a measurement.
    pub admin: bool,
}

/// The decision.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Authorization {
    /// Whether it was a request at all, and deserves an answer.
    pub asked: bool,
    /// Whether the measurement may start.
    pub allowed: bool,
    /// The reason, in one line.
    pub reason: String,
    /// The suite to measure.
    pub suite: String,
    /// The pull request, at the commit to measure.
    #[serde(flatten)]
    pub pull: PullRequestFacts,
}

impl Authorization {
    /// A request that is refused.
    fn no(reason: impl Into<String>) -> Self {
        Self { asked: true, ..Self::nothing(reason) }
    }

    /// No request.
    fn nothing(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), ..Self::default() }
    }
}

#[derive(Deserialize)]
struct LabeledEvent {
    action: String,
    #[serde(default)]
    label: Option<Label>,
    pull_request: PullRequest,
    sender: User,
}

#[derive(Deserialize)]
struct Label {
    name: String,
}

#[derive(Deserialize)]
struct CommentedEvent {
    action: String,
    issue: EventIssue,
    comment: EventComment,
}

#[derive(Deserialize)]
struct EventIssue {
    number: u64,
    #[serde(default)]
    pull_request: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct EventComment {
    #[serde(default)]
    body: String,
    user: User,
    created_at: String,
}

/// Decides about the event in the file `path`.
///
/// # Errors
/// An event that can't start a measurement; errors of the forge.
pub fn decide(
    forge: &Forge,
    event_name: &str,
    path: &Path,
    rules: &AuthorizationRules<'_>,
) -> Result<Authorization, ForgeError> {
    match event_name {
        "pull_request" => label(forge, event::read(path)?, rules),
        "issue_comment" => comment(forge, event::read(path)?, rules),
        other => Err(ForgeError::NotFound(format!(
            "an event `{other}` asks for no measurement; pull_request (labeled) and issue_comment (created) do"
        ))),
    }
}

fn label(
    forge: &Forge,
    event: LabeledEvent,
    rules: &AuthorizationRules<'_>,
) -> Result<Authorization, ForgeError> {
    let name = event.label.as_ref().map(|label| label.name.as_str());
    if event.action != "labeled" || name != Some(rules.label) {
        return Ok(Authorization::nothing(format!(
            "it was not the label `{}` that was set",
            rules.label
        )));
    }
    let now = match check(forge, rules, &event.sender.login, event.pull_request.number)? {
        Ok(now) => now,
        Err(answer) => return Ok(answer),
    };
    // The event has the commit at which the label was set.
    if now.head.sha != event.pull_request.head.sha {
        return Ok(Authorization::no("there was a push since the label was set: set it again"));
    }
    yes(forge, rules, &now, &event.sender, None)
}

fn comment(
    forge: &Forge,
    event: CommentedEvent,
    rules: &AuthorizationRules<'_>,
) -> Result<Authorization, ForgeError> {
    if event.action != "created" || event.issue.pull_request.is_none() {
        return Ok(Authorization::nothing("it is no new comment on a pull request"));
    }
    let bench = match parse(&event.comment.body) {
        Ok(Some(bench)) => bench,
        Ok(None) => return Ok(Authorization::nothing("the comment does not begin with /bench")),
        Err(reason) => return Ok(Authorization::no(reason)),
    };
    let author = &event.comment.user;
    let now = match check(forge, rules, &author.login, event.issue.number)? {
        Ok(now) => now,
        Err(answer) => return Ok(answer),
    };
    if let Some(sha) = &bench.sha {
        if *sha != now.head.sha {
            return Ok(Authorization::no(format!("head is {} now, not {sha}", now.head.sha)));
        }
        return yes(forge, rules, &now, author, bench.suite);
    }
    // A comment does not say what its author saw. A branch of the repository itself moves only
    // by those who may write; a fork's must not have moved since, by the forge's clock.
    if now.is_of_fork(forge) {
        let pushed = now.head.repo.as_ref().and_then(|repo| repo.pushed_at.as_deref());
        match (pushed.and_then(instant), instant(&event.comment.created_at)) {
            (Some(pushed), Some(asked)) if pushed < asked => {}
            _ => {
                return Ok(Authorization::no(format!(
                    "the fork was pushed to since the comment, or it can't be told: look again, then write /bench {} {}",
                    bench.suite.as_deref().unwrap_or(rules.suite),
                    now.head.sha
                )));
            }
        }
    }
    yes(forge, rules, &now, author, bench.suite)
}

/// Whether the actor may ask at all, and the pull request as it is now.
fn check(
    forge: &Forge,
    rules: &AuthorizationRules<'_>,
    login: &str,
    number: u64,
) -> Result<Result<PullRequest, Authorization>, ForgeError> {
    let permission = forge.permission(login)?;
    let enough = match permission.as_str() {
        "admin" | "owner" => true,
        "write" => !rules.admin,
        _ => false,
    };
    if !enough {
        let need = if rules.admin { "admin" } else { "write" };
        let why = format!("{login} has the permission `{permission}`; it takes `{need}`");
        return Ok(Err(Authorization::no(why.escape_default().to_string())));
    }
    let now = forge.pull(number)?;
    if now.state != "open" {
        return Ok(Err(Authorization::no("the pull request is not open")));
    }
    if now.head.repo.is_none() {
        return Ok(Err(Authorization::no("the repository of head is gone")));
    }
    Ok(Ok(now))
}

fn yes(
    forge: &Forge,
    rules: &AuthorizationRules<'_>,
    pull: &PullRequest,
    actor: &User,
    suite: Option<String>,
) -> Result<Authorization, ForgeError> {
    let suite = suite.unwrap_or_else(|| rules.suite.to_owned());
    if !rules.suites.contains(&suite) {
        let known = rules.suites.join(", ");
        return Ok(Authorization::no(format!("there is no suite `{suite}`: one of {known}")));
    }
    let reason =
        format!("{} asked for {}", actor.login, pull.head.sha).escape_default().to_string();
    let pull = PullRequestFacts::at(forge, pull, &pull.head.sha)?;
    Ok(Authorization { asked: true, allowed: true, reason, suite, pull })
}

/// A time as the forge writes it.
fn instant(text: &str) -> Option<jiff::Timestamp> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_times_that_can_be_compared_are_compared() {
        assert!(instant("2026-11-21T07:08:09Z") < instant("2026-11-21T07:08:10Z"));
        assert!(instant("2026-11-21T09:08:09+02:00") == instant("2026-11-21T07:08:09Z"));
        for wrong in ["", "yesterday", "2026-11-21", "9"] {
            assert_eq!(instant(wrong), None, "{wrong}");
        }
    }
}
