//! `shakedown github status`.

use super::args::{Finding, Forge};
use crate::{exit::Exit, github::conclusion, output::print};
use anyhow::Result;
use shakedown_forge::status::{self, Put};

/// Sets the status of a commit: success, failure, error (no record) or pending. Ends with 0
/// whatever the verdict.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    finding: Finding,
    /// Commit that was measured: from `shakedown github pull-request`, never from an artifact
    #[arg(long, value_name = "SHA")]
    sha: String,
    #[command(flatten)]
    forge: Forge,
}

/// Sets the status.
///
/// # Errors
/// What the forge said, or what is wrong with the input.
pub fn run(args: Args) -> Result<Exit> {
    let Args { finding, sha, forge } = args;
    let key = finding.key()?;
    let repo = forge.repo()?.to_string();
    let place = finding.place(Some(repo), &forge.server_url, Some(&sha), None)?;
    let found = finding.load()?;
    let line = found.headline();
    let state = conclusion(found.standing()).state();
    let link = place.link.as_deref();
    let wanted = status::Wanted { sha: &sha, key: &key, state, line: &line, link };
    let put = forge.with(|forge| status::put(forge, &wanted))?;
    print(&match put {
        Put::Set => format!("set the status: {line}\n"),
        Put::Unchanged => format!("the status says so already: {line}\n"),
        Put::Planned => String::new(),
    })?;
    Ok(Exit::Done)
}
