//! `shakedown github authorize`.

use super::args::{ForgeArgs, WorkflowArgs};
use crate::{exit::Exit, project::ProjectRoot};
use anyhow::Result;
use clap::ValueEnum;
use shakedown_forge::authorize::{self, AuthorizationRules};
use shakedown_schedule::Suite;

/// Decides whether a label (`pull_request`, `labeled`) or a comment `/bench [SUITE] [SHA]`
/// (`issue_comment`, `created`) may start a measurement. The actor's permission is read from the
/// API. What is measured is the commit that the comment names, or the head if the API says that it was
/// pushed before; a later push needs another label or comment.
///
/// Exits with 0 also where the answer is no: later steps read `allowed`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Outputs:
  asked        false where the event was no request at all, and needs no answer
  allowed      true or false
  reason       the reason, in one line
  suite        the suite to measure
  number, head_sha, head_repo, head_ref, fork, base_sha, behind_by, base_ref      of the pull request")]
pub struct Args {
    /// Label that starts a measurement
    #[arg(long, value_name = "NAME", default_value = "bench")]
    label: String,
    /// Suite if the comment names none
    #[arg(long, value_name = "NAME", default_value = "pr")]
    suite: String,
    /// Permission that the actor needs
    #[arg(long, value_enum, default_value = "write")]
    permission: Permission,
    #[command(flatten)]
    outputs: WorkflowArgs,
    #[command(flatten)]
    forge: ForgeArgs,
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
/// An event that can't start a measurement; errors of the forge.
pub fn run(args: Args) -> Result<Exit> {
    let Args { label, suite, permission, outputs, forge } = args;
    let suites = Suite::names(&ProjectRoot::find()?.catalog().join("suites"))?;
    let admin = matches!(permission, Permission::Admin);
    let (answer, outputs) = forge.with(|forge| {
        let rules = AuthorizationRules { label: &label, suite: &suite, suites: &suites, admin };
        authorize::decide(forge, &outputs.event_name, &outputs.event, &rules)
            .map(|answer| (answer, outputs))
    })?;
    outputs.put(&answer)?;
    Ok(Exit::Done)
}
