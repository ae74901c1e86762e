//! `shakedown github issue`.

use super::args::Forge;
use crate::exit::Exit;
use anyhow::Result;
use clap::{Subcommand, ValueHint};
use std::path::PathBuf;

/// Opens, updates and closes issues: one a cause, found by a hidden marker and by its author.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  shakedown github issue open --key unfit:bench-1 --title 'bench-1 is not fit' --body check.md
  shakedown github issue close --key unfit:bench-1 --comment 'fit again'
  shakedown github issue changes --history shakedown-history --label performance")]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Open the issue of a cause, or update the one that is open
    Open(OpenArgs),
    /// Close the issue of a cause, if one is open
    Close(CloseArgs),
    /// One issue for every confirmed change of the history that is still there; the others are
    /// closed
    Changes(ChangesArgs),
}

#[derive(Debug, clap::Args)]
struct OpenArgs {
    /// What the cause is called; the same key is the same issue
    #[arg(long)]
    key: String,
    /// Title
    #[arg(long)]
    title: String,
    /// File with the text, in Markdown, taken as it is; `-` is standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    body: PathBuf,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
struct CloseArgs {
    /// What the cause is called
    #[arg(long)]
    key: String,
    /// What to say when closing
    #[arg(long, value_name = "TEXT", default_value = "This is gone.")]
    comment: String,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
struct ChangesArgs {
    /// Folder of the history
    #[arg(
        long,
        value_name = "DIR",
        env = "SHAKEDOWN_HISTORY",
        default_value = "shakedown-history",
        value_hint = ValueHint::DirPath
    )]
    history: PathBuf,
    /// Where the dashboard is, for links
    #[arg(long, value_name = "URL")]
    site: Option<String>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, clap::Args)]
struct Common {
    /// Label of the issue; may be repeated
    #[arg(long)]
    label: Vec<String>,
    /// Who opens the issues [default: whose the token is, or github-actions[bot]]
    #[arg(long, value_name = "LOGIN")]
    author: Option<String>,
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
