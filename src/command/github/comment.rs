//! `shakedown github comment`.

use super::args::{Again, Finding, Forge};
use crate::exit::Exit;
use anyhow::Result;

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

/// Does it.
///
/// # Errors
/// What the forge said, or what is wrong with the input.
pub fn run(_args: Args) -> Result<Exit> {
    anyhow::bail!("not built in yet")
}
