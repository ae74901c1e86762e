//! `shakedown github summary`.

use super::args::{Again, Finding};
use crate::exit::Exit;
use anyhow::Result;
use clap::ValueHint;
use std::path::PathBuf;

/// Adds the text of the comment to the summary of the job. Talks to no forge. Ends with 0
/// whatever the verdict.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    finding: Finding,
    /// Commit that was measured
    #[arg(long, value_name = "SHA", env = "GITHUB_SHA")]
    sha: Option<String>,
    /// The repository
    #[arg(long, value_name = "OWNER/NAME", env = "GITHUB_REPOSITORY")]
    repo: Option<String>,
    /// Where the forge's pages are, for links
    #[arg(
        long,
        value_name = "URL",
        env = "GITHUB_SERVER_URL",
        default_value = "https://github.com"
    )]
    server_url: String,
    #[command(flatten)]
    again: Again,
    /// File to add it to [default: standard output]
    #[arg(long, short, value_name = "FILE", env = "GITHUB_STEP_SUMMARY", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
}

/// Does it.
///
/// # Errors
/// What the forge said, or what is wrong with the input.
pub fn run(_args: Args) -> Result<Exit> {
    anyhow::bail!("not built in yet")
}
