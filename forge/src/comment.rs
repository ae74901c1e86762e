//! The one comment on a pull request.

use crate::{Forge, ForgeError, Key, Stamp, marker, pull::User};
use http::Method;
use serde::Deserialize;
use serde_json::json;

/// Characters that GitHub takes in one body.
pub const LIMIT: usize = 65_536;

const KIND: &str = "comment";
/// Somebody may change the comments while we do; after so many times something else is wrong.
const ROUNDS: u32 = 5;

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// There was none.
    Created(u64),
    /// It said something else.
    Updated(u64),
    /// It said so already.
    Unchanged(u64),
    /// A newer run has spoken.
    Outdated(u64),
    /// Nothing was sent.
    Planned,
}

#[derive(Debug, Clone, Deserialize)]
struct Comment {
    id: u64,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    user: Option<User>,
}

/// What to write, where.
#[derive(Debug, Clone)]
pub struct Wanted<'a> {
    /// Number of the pull request.
    pub pull: u64,
    /// Which of our comments.
    pub key: &'a Key,
    /// Which run speaks.
    pub stamp: Stamp,
    /// Login of whoever writes our comments; others' are left alone.
    pub author: &'a str,
    /// What it says, without the marker.
    pub text: &'a str,
}

impl Wanted<'_> {
    fn body(&self) -> String {
        format!("{}\n{}", marker::line(KIND, self.key, self.stamp), self.text)
    }
}

/// Makes the pull request have exactly one comment of this key, saying what the newest run said.
///
/// # Errors
/// What the forge said.
pub fn put(forge: &Forge, wanted: &Wanted<'_>) -> Result<Put, ForgeError> {
    let comments = forge.path(&format!("issues/{}/comments", wanted.pull));
    let body = wanted.body();
    let mut outcome = None;
    for _ in 0..ROUNDS {
        let mine = mine(forge, wanted, &comments)?;
        let Some((keep, rest)) = mine.split_first() else {
            let sent: Option<Comment> =
                forge.change(Method::POST, &comments, &json!({ "body": body }))?;
            let Some(sent) = sent else { return Ok(Put::Planned) };
            outcome = Some(Put::Created(sent.id));
            // Another reporter may have done the same meanwhile: look again.
            continue;
        };
        let (newest, said) = mine.iter().fold((wanted.stamp, &body), |(stamp, said), other| {
            if other.stamp > stamp { (other.stamp, &other.body) } else { (stamp, said) }
        });
        if keep.body != *said && !update(forge, keep.id, said)? {
            // It was deleted meanwhile.
            continue;
        }
        for twin in rest {
            forge.delete(&forge.path(&format!("issues/comments/{}", twin.id)))?;
        }
        return Ok(match outcome {
            _ if newest > wanted.stamp => Put::Outdated(keep.id),
            Some(Put::Created(id)) if id == keep.id => Put::Created(id),
            _ if keep.body != body => Put::Updated(keep.id),
            _ => Put::Unchanged(keep.id),
        });
    }
    Err(ForgeError::NotFound(format!(
        "the comment on #{} vanishes as often as it is written: is something deleting it?",
        wanted.pull
    )))
}

struct Mine {
    id: u64,
    stamp: Stamp,
    body: String,
}

/// Our comments of this key, oldest first.
fn mine(forge: &Forge, wanted: &Wanted<'_>, comments: &str) -> Result<Vec<Mine>, ForgeError> {
    let all: Vec<Comment> = forge.list(comments, "")?;
    let mut mine: Vec<Mine> = all
        .into_iter()
        .filter(|comment| comment.user.as_ref().is_some_and(|user| user.login == wanted.author))
        .filter_map(|comment| {
            let body = comment.body?.replace("\r\n", "\n");
            let stamp = marker::read(KIND, wanted.key, &body)?;
            Some(Mine { id: comment.id, stamp, body })
        })
        .collect();
    mine.sort_by_key(|comment| comment.id);
    Ok(mine)
}

/// Whether it was still there.
fn update(forge: &Forge, id: u64, body: &str) -> Result<bool, ForgeError> {
    let path = forge.path(&format!("issues/comments/{id}"));
    let sent = forge.change::<Comment>(Method::PATCH, &path, &json!({ "body": body }));
    match sent {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.status(), Some(404 | 410)) => Ok(false),
        Err(error) => Err(error),
    }
}
