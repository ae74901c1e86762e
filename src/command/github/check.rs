//! `shakedown github check`.

use super::args::{Again, Finding, Forge};
use crate::exit::Exit;
use anyhow::Result;

/// Sets the check run of a commit: success, neutral (inconclusive) or failure. Where the forge
/// has no check runs, or the token may not write them, the status of the commit is set instead.
/// Ends with 0 whatever the verdict.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    finding: Finding,
    /// Commit that was measured: from `shakedown github pull-request`, never from an artifact
    #[arg(long, value_name = "SHA")]
    sha: String,
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
