//! What the history lacks because a driver did not fit.

use crate::{
    clock::Since,
    exit::Exit,
    history::{HistoryArgs, tables},
    output::{print, print_json},
};
use anyhow::Result;

#[derive(Debug, clap::Args)]
pub struct OwedArgs {
    #[command(flatten)]
    history: HistoryArgs,
    #[command(flatten)]
    since: Since,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Lists it, newest first.
pub fn owed(args: OwedArgs) -> Result<Exit> {
    let (_, index) = args.history.index()?;
    let owed = index.owed(args.since.ms())?;
    if args.json {
        print_json(&owed)?;
    } else {
        print(&tables::owed(&owed))?;
    }
    Ok(Exit::Done)
}
