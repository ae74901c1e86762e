//! `shakedown github status`.

use super::args::{Finding, Forge};
use crate::exit::Exit;
use anyhow::Result;

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

/// Does it.
///
/// # Errors
/// What the forge said, or what is wrong with the input.
pub fn run(_args: Args) -> Result<Exit> {
    anyhow::bail!("not built in yet")
}
