//! `shakedown github comment`.

use super::args::{Again, Finding, Forge};
use crate::{exit::Exit, output::print};
use anyhow::Result;
use shakedown_forge::comment::{self, Put};
use shakedown_report::Comment;

/// Writes the one comment on a pull request, or updates it. It is found by a hidden marker and
/// by its author, so that nobody else's comment is touched. Called twice, or by two workflows at
/// once, it ends in one comment. Ends with 0 whatever the verdict.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  shakedown github comment in --pr 12 --sha 6bf3… --run 7001
  shakedown github comment --problem 'measuring failed' --pr 12 --sha 6bf3… --run 7001
  shakedown github comment in --pr 12 --sha 6bf3… --dry-run")]
pub struct Args {
    #[command(flatten)]
    finding: Finding,
    /// Number of the pull request: from `shakedown github pull-request`, never from an artifact
    #[arg(long, value_name = "NUMBER")]
    pr: u64,
    /// Commit that was measured: from there as well
    #[arg(long, value_name = "SHA")]
    sha: String,
    /// Who writes the comments [default: whose the token is, or github-actions[bot]]
    #[arg(long, value_name = "LOGIN")]
    author: Option<String>,
    #[command(flatten)]
    again: Again,
    #[command(flatten)]
    forge: Forge,
}

/// Writes the comment.
///
/// # Errors
/// What the forge said, or what is wrong with the input.
pub fn run(args: Args) -> Result<Exit> {
    let Args { finding, pr, sha, author, again, forge } = args;
    let key = finding.key()?;
    let repo = forge.repo()?.to_string();
    let place = finding.place(Some(repo), &forge.server_url, Some(&sha), Some(&again))?;
    let text = Comment::text(&finding.load()?, &place)?;
    let stamp = finding.stamp();
    let put = forge.with(|forge| {
        let author = match author {
            Some(author) => author,
            None => forge.author()?,
        };
        let wanted = comment::Wanted { pull: pr, key: &key, stamp, author: &author, text: &text };
        comment::put(forge, &wanted)
    })?;
    print(&match put {
        Put::Created(id) => format!("commented on #{pr} (comment {id})\n"),
        Put::Updated(id) => format!("updated the comment on #{pr} (comment {id})\n"),
        Put::Unchanged(id) => format!("the comment on #{pr} says so already (comment {id})\n"),
        Put::Outdated(id) => format!("a newer run has commented on #{pr} (comment {id})\n"),
        Put::Planned => String::new(),
    })?;
    Ok(Exit::Done)
}
