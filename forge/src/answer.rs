//! The answer to who asked for a measurement: a reaction to the comment, and, where it was refused, the
//! reason.

use crate::{
    ContentKey, Forge, ForgeError, RunAttempt,
    comment::{self, CommentContent},
    event,
};
use http::Method;
use serde::Deserialize;
use serde_json::json;
use std::path::Path;

/// What to answer.
#[derive(Debug, Clone)]
pub struct RequestAnswer<'a> {
    /// Why it was refused, in Markdown; `None` if it was not.
    pub refusal: Option<&'a str>,
    /// Identifies the comment with the reason: one a pull request, however often somebody asks.
    pub key: &'a ContentKey,
    /// The run that answers.
    pub attempt: RunAttempt,
    /// Login under which our comments are written.
    pub author: &'a str,
}

#[derive(Deserialize)]
struct RequestEvent {
    #[serde(default)]
    comment: Option<RequestComment>,
    #[serde(default, alias = "pull_request")]
    issue: Option<RequestPlace>,
}

#[derive(Deserialize)]
struct RequestComment {
    id: u64,
}

#[derive(Deserialize)]
struct RequestPlace {
    number: u64,
}

#[derive(Deserialize)]
struct CreatedReaction {}

/// Answers the event in the file `path`. Returns what the forge would not take, for example because the
/// conversation is locked: no answer is no reason to measure nothing.
///
/// # Errors
/// An event without a pull request; errors of the forge other than refusals.
pub fn send(
    forge: &Forge,
    path: &Path,
    answer: &RequestAnswer<'_>,
) -> Result<Vec<String>, ForgeError> {
    let event: RequestEvent = event::read(path)?;
    let Some(RequestPlace { number }) = event.issue else {
        return Err(ForgeError::NotFound("the event is about no pull request".to_owned()));
    };
    let mut refused = Vec::new();
    if let Some(comment) = event.comment {
        let content = if answer.refusal.is_some() { "-1" } else { "eyes" };
        let path = forge.path(&format!("issues/comments/{}/reactions", comment.id));
        let sent = forge.change(Method::POST, &path, &json!({ "content": content }));
        tolerate(sent.map(|_: Option<CreatedReaction>| ()), &mut refused)?;
    }
    let (key, attempt, author) = (answer.key, answer.attempt, answer.author);
    let said = match answer.refusal {
        Some(text) => {
            let content = CommentContent { pull: number, key, attempt, author, text };
            comment::upsert(forge, &content).map(|_| ())
        }
        // What was refused before is measured now.
        None => comment::remove(forge, number, key, author),
    };
    tolerate(said, &mut refused)?;
    Ok(refused)
}

fn tolerate(done: Result<(), ForgeError>, refused: &mut Vec<String>) -> Result<(), ForgeError> {
    match done {
        Err(error) if matches!(error.status(), Some(403 | 404 | 410 | 422)) => {
            refused.push(error.to_string());
            Ok(())
        }
        other => other,
    }
}
