//! `shakedown catalog`: one file for each subcommand.

mod list;
mod share;
mod update;

use crate::exit::Exit;
use anyhow::Result;

/// Shows what can be measured.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// List stacks with their versions and build variants, and suites
    List(list::Args),
    /// Look for new release tags and the newest revision of each stack
    Update(update::Args),
    /// Split a suite over hosts
    Share(share::Args),
}

/// Runs the subcommand.
///
/// # Errors
/// Whatever stops it.
pub fn run(args: Args) -> Result<Exit> {
    match args.verb {
        Verb::List(args) => list::run(&args),
        Verb::Update(args) => update::run(&args),
        Verb::Share(args) => share::run(&args),
    }
}
