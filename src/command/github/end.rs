//! `shakedown github end`.

use super::args::{ForgeArgs, commit};
use crate::{exit::Exit, output::print};
use anyhow::Result;
use shakedown_forge::{RunAttempt, check};

/// Ends the check run in progress that `check --pending` has set, if there still is one: the
/// measurement was cancelled, or its report failed. Does nothing where a verdict has replaced it.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Why there is no verdict
    #[arg(long, value_name = "TEXT")]
    reason: String,
    /// Commit that should have been measured
    #[arg(long, value_name = "SHA")]
    sha: String,
    /// Name of the check run
    #[arg(long, value_name = "NAME", default_value = "shakedown")]
    key: String,
    /// Id of the workflow run that measured
    #[arg(long, value_name = "ID", env = "GITHUB_RUN_ID")]
    run: u64,
    /// Attempt of that run
    #[arg(long, value_name = "N", env = "GITHUB_RUN_ATTEMPT", default_value_t = 1)]
    attempt: u64,
    #[command(flatten)]
    forge: ForgeArgs,
}

/// Ends it.
///
/// # Errors
/// Errors of the forge; bad input.
pub fn run(args: Args) -> Result<Exit> {
    let Args { reason, sha, key, run, attempt, forge } = args;
    commit(&sha)?;
    let key = key.parse()?;
    let link = super::args::run_page(&forge.server_url, &forge.repo()?.to_string(), run);
    let ended = forge.with(|forge| {
        check::end(forge, (&sha, &key), RunAttempt { run, attempt }, (&reason, &link))
    })?;
    if ended {
        print(&format!("ended the check in progress: {reason}\n"))?;
    }
    Ok(Exit::Done)
}
