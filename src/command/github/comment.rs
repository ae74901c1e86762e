//! `shakedown github comment`.

use super::args::{FindingArgs, ForgeArgs, ReproduceArgs};
use crate::{exit::Exit, output::print};
use anyhow::Result;
use shakedown_forge::{
    WriteOutcome,
    comment::{self, CommentContent},
};
use shakedown_report::Comment;

/// Writes or updates the sticky comment on a pull request. A hidden marker and the author identify
/// it, so comments of others are never changed. Called twice, or by two workflows at once, there is
/// still one comment. Exits with 0 whatever the verdict.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  shakedown github comment in --pr 12 --sha 6bf3… --run 7001
  shakedown github comment --problem 'measuring failed' --pr 12 --sha 6bf3… --run 7001
  shakedown github comment in --pr 12 --sha 6bf3… --dry-run")]
pub struct Args {
    #[command(flatten)]
    finding: FindingArgs,
    /// Number of the pull request: from `shakedown github pull-request`, never from an artifact
    #[arg(long, value_name = "NUMBER")]
    pr: u64,
    /// Commit that was measured: from `shakedown github pull-request` too
    #[arg(long, value_name = "SHA")]
    sha: String,
    /// Login under which the comments are written [default: the token's owner, or github-actions[bot]]
    #[arg(long, value_name = "LOGIN")]
    author: Option<String>,
    #[command(flatten)]
    reproduce: ReproduceArgs,
    #[command(flatten)]
    forge: ForgeArgs,
}

/// Writes the comment.
///
/// # Errors
/// Errors of the forge; bad input.
pub fn run(args: Args) -> Result<Exit> {
    let Args { finding, pr, sha, author, reproduce, forge } = args;
    let key = finding.key()?;
    let repo = forge.repo()?.to_string();
    let place = finding.place(Some(repo), &forge.server_url, Some(&sha), Some(&reproduce))?;
    let text = Comment::text(&finding.load()?, &place)?;
    let attempt = finding.run_attempt();
    let outcome = forge.with(|forge| {
        let author = match author {
            Some(author) => author,
            None => forge.author()?,
        };
        let content = CommentContent { pull: pr, key: &key, attempt, author: &author, text: &text };
        comment::upsert(forge, &content)
    })?;
    print(&match outcome {
        WriteOutcome::Created(id) => format!("commented on #{pr} (comment {id})\n"),
        WriteOutcome::Updated(id) => format!("updated the comment on #{pr} (comment {id})\n"),
        WriteOutcome::Unchanged(id) => {
            format!("the comment on #{pr} is up to date (comment {id})\n")
        }
        WriteOutcome::Superseded(id) => {
            format!("a newer run has commented on #{pr} (comment {id})\n")
        }
        WriteOutcome::DryRun => String::new(),
    })?;
    Ok(Exit::Done)
}
