//! `shakedown catalog list`.

use crate::{
    catalog::list::{list, text},
    exit::Exit,
    project::ProjectRoot,
};
use anyhow::Result;

/// Lists stacks with their versions and build variants, and suites
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Also list every release that the registries have
    #[arg(long)]
    registry: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Lists the catalog.
///
/// # Errors
/// An invalid catalog.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let root = ProjectRoot::find()?;
    let listing = list(&root, args.registry)?;
    if args.json {
        crate::output::print_json(&listing)?;
    } else {
        crate::output::print(&text(&listing)?)?;
    }
    Ok(Exit::Done)
}
