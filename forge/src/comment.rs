//! The sticky comment on a pull request.

use crate::{ContentKey, Forge, ForgeError, RunAttempt, WriteOutcome, marker, pull::User};
use http::Method;
use serde::Deserialize;
use serde_json::json;

/// GitHub's limit for a comment's body, in characters.
pub const LIMIT: usize = 65_536;

const KIND: &str = "comment";
/// Others may change the comments at the same time, so the update is tried again; more often than
/// this, something else is wrong.
const ROUNDS: u32 = 5;

#[derive(Debug, Clone, Deserialize)]
struct ForgeComment {
    id: u64,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    user: Option<User>,
}

/// A comment to write.
#[derive(Debug, Clone)]
pub struct CommentContent<'a> {
    /// Number of the pull request.
    pub pull: u64,
    /// Identifies the comment among ours on this pull request.
    pub key: &'a ContentKey,
    /// The run that writes.
    pub attempt: RunAttempt,
    /// Login under which our comments are written. Comments of other users are never changed.
    pub author: &'a str,
    /// The text, without the marker.
    pub text: &'a str,
}

impl CommentContent<'_> {
    fn body(&self) -> String {
        format!("{}\n{}", marker::line(KIND, self.key, self.attempt), self.text)
    }
}

/// Ensures that the pull request has exactly one comment with this key, with the newest run's text.
///
/// # Errors
/// The forge's error.
pub fn upsert(forge: &Forge, content: &CommentContent<'_>) -> Result<WriteOutcome, ForgeError> {
    let comments = forge.path(&format!("issues/{}/comments", content.pull));
    let body = content.body();
    let mut outcome = None;
    for _ in 0..ROUNDS {
        let mut mine = mine(forge, (content.key, content.author), &comments)?;
        for other in &mut mine {
            // A stamp ahead of everything that ever ran, in a text of others that a workflow repeats, would
            // silence us for good.
            if other.attempt > content.attempt && !forge.has_run(other.attempt)? {
                other.attempt = RunAttempt::default();
            }
        }
        let Some((keep, rest)) = mine.split_first() else {
            let sent: Option<ForgeComment> =
                forge.change(Method::POST, &comments, &json!({ "body": body }))?;
            let Some(sent) = sent else { return Ok(WriteOutcome::DryRun) };
            outcome = Some(WriteOutcome::Created(sent.id));
            // Another reporter may have created one at the same time: read them again.
            continue;
        };
        let (newest, said) =
            mine.iter().fold((content.attempt, &body), |(attempt, said), other| {
                if other.attempt > attempt { (other.attempt, &other.body) } else { (attempt, said) }
            });
        if keep.body != *said && !update(forge, keep.id, said)? {
            // Somebody deleted it in the meantime.
            continue;
        }
        for twin in rest {
            forge.delete(&forge.path(&format!("issues/comments/{}", twin.id)))?;
        }
        return Ok(match outcome {
            _ if newest > content.attempt => WriteOutcome::Superseded(keep.id),
            Some(WriteOutcome::Created(id)) if id == keep.id => WriteOutcome::Created(id),
            _ if keep.body != body => WriteOutcome::Updated(keep.id),
            _ => WriteOutcome::Unchanged(keep.id),
        });
    }
    Err(ForgeError::NotFound(format!(
        "the comment on #{} disappears each time it is written: is something deleting it?",
        content.pull
    )))
}

/// Removes our comment with this key, if there is one.
///
/// # Errors
/// The forge's error.
pub(crate) fn remove(
    forge: &Forge,
    pull: u64,
    key: &ContentKey,
    author: &str,
) -> Result<(), ForgeError> {
    let comments = forge.path(&format!("issues/{pull}/comments"));
    for comment in mine(forge, (key, author), &comments)? {
        forge.delete(&forge.path(&format!("issues/comments/{}", comment.id)))?;
    }
    Ok(())
}

struct OwnComment {
    id: u64,
    attempt: RunAttempt,
    body: String,
}

/// Our comments with this key, oldest first.
fn mine(
    forge: &Forge,
    (key, author): (&ContentKey, &str),
    comments: &str,
) -> Result<Vec<OwnComment>, ForgeError> {
    let all: Vec<ForgeComment> = forge.list(comments, "")?;
    let mut mine: Vec<OwnComment> = all
        .into_iter()
        .filter(|comment| comment.user.as_ref().is_some_and(|user| user.login == author))
        .filter_map(|comment| {
            let body = comment.body?.replace("\r\n", "\n");
            let attempt = marker::read(KIND, key, &body)?;
            Some(OwnComment { id: comment.id, attempt, body })
        })
        .collect();
    mine.sort_by_key(|comment| comment.id);
    Ok(mine)
}

/// Returns whether the comment still existed.
fn update(forge: &Forge, id: u64, body: &str) -> Result<bool, ForgeError> {
    let path = forge.path(&format!("issues/comments/{id}"));
    let sent = forge.change::<ForgeComment>(Method::PATCH, &path, &json!({ "body": body }));
    match sent {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.status(), Some(404 | 410)) => Ok(false),
        Err(error) => Err(error),
    }
}
