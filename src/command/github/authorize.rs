//! `shakedown github authorize`.

use super::args::{Forge, Workflow};
use crate::exit::Exit;
use anyhow::Result;
use clap::ValueEnum;

/// Decides whether a label (`pull_request`, `labeled`) or a comment `/bench [SUITE] [SHA]`
/// (`issue_comment`, `created`) may start a measurement: the actor's permission is asked for
/// again, and what is measured is the commit that the actor saw. A push after that needs
/// another label or comment.
///
/// Ends with 0 also where the answer is no: later steps look at `allowed`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Outputs:
  allowed      true or false
  reason       why, in one line
  suite        the suite asked for
  number, head_sha, head_repo, head_ref, fork, base_sha, base_ref      of the pull request")]
pub struct Args {
    /// The label that asks for a measurement
    #[arg(long, value_name = "NAME", default_value = "bench")]
    label: String,
    /// Suite where the comment names none
    #[arg(long, value_name = "NAME", default_value = "pr")]
    suite: String,
    /// What the actor must be allowed to do, at least
    #[arg(long, value_enum, default_value = "write")]
    permission: Permission,
    #[command(flatten)]
    outputs: Workflow,
    #[command(flatten)]
    forge: Forge,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Permission {
    /// Push to the repository
    Write,
    /// Change its settings
    Admin,
}

/// Does it.
///
/// # Errors
/// What the forge said, or what is wrong with the input.
pub fn run(_args: Args) -> Result<Exit> {
    anyhow::bail!("not built in yet")
}
