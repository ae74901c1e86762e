//! `shakedown github authorize`.

use super::args::{Forge, Workflow};
use crate::{exit::Exit, place::Root};
use anyhow::Result;
use clap::ValueEnum;
use shakedown_forge::authorize::{self, Rules};
use shakedown_schedule::Suite;

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

/// Decides.
///
/// # Errors
/// An event that asks for nothing at all, what the forge said.
pub fn run(args: Args) -> Result<Exit> {
    let Args { label, suite, permission, outputs, forge } = args;
    let suites = Suite::names(&Root::find()?.catalog().join("suites"))?;
    let admin = matches!(permission, Permission::Admin);
    let (answer, outputs) = forge.with(|forge| {
        let rules = Rules { label: &label, suite: &suite, suites: &suites, admin };
        authorize::decide(forge, &outputs.event_name, &outputs.event, &rules)
            .map(|answer| (answer, outputs))
    })?;
    outputs.put(&answer)?;
    Ok(Exit::Done)
}
