//! `shakedown github status`.

use super::args::{FindingArgs, ForgeArgs};
use crate::{exit::Exit, github::conclusion, output::print};
use anyhow::Result;
use shakedown_forge::status::{self, StatusContent, StatusOutcome};

/// Sets the status of a commit: success, failure, error (no record) or pending. Exits with 0
/// whatever the verdict.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    finding: FindingArgs,
    /// Commit that was measured: from `shakedown github pull-request`, never from an artifact
    #[arg(long, value_name = "SHA")]
    sha: String,
    #[command(flatten)]
    forge: ForgeArgs,
}

/// Sets the status.
///
/// # Errors
/// Errors of the forge; bad input.
pub fn run(args: Args) -> Result<Exit> {
    let Args { finding, sha, forge } = args;
    let key = finding.key()?;
    let repo = forge.repo()?.to_string();
    let place = finding.place(Some(repo), &forge.server_url, Some(&sha), None)?;
    let found = finding.load()?;
    let line = found.headline();
    let state = conclusion(found.status()).state();
    let link = place.link.as_deref();
    let content = StatusContent { sha: &sha, key: &key, state, line: &line, link };
    print(&match forge.with(|forge| status::set(forge, &content))? {
        StatusOutcome::Set => format!("set the status: {line}\n"),
        StatusOutcome::Unchanged => format!("the status is up to date: {line}\n"),
        StatusOutcome::DryRun => String::new(),
    })?;
    Ok(Exit::Done)
}
