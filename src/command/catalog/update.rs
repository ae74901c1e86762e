//! `shakedown catalog update`.

use crate::{
    catalog::update::{text, update},
    exit::Exit,
    project::ProjectRoot,
};
use anyhow::Result;

/// Looks for releases that the catalog lacks, and for the newest revision: in the repositories of the
/// stacks, and for Go in the module proxy's list of toolchains (`go env GOPROXY`).
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  shakedown catalog update                      what is new in every stack that has a repository, and in Go
  shakedown catalog update openssl --write      add OpenSSL's new releases to the catalog
  shakedown catalog update --json | jq -r '.stacks[].new[].subject'

A new release can be measured at once as stack@git:TAG. After --write it is stack@VERSION, pinned
to the commit that the tag names now. A release of Go is go@VERSION before and after: Go's checksum
database pins it.")]
pub(super) struct Args {
    /// Stacks [default: all with a repository, and Go]
    stacks: Vec<String>,
    /// Add new releases to bench/catalog/stacks/STACK.toml
    #[arg(long)]
    write: bool,
    /// Print as JSON: {stacks: [{stack, url, head, head_subject, new: [{version, tag, commit,
    /// subject, latest}], error}]}; a release of Go has neither tag nor commit
    #[arg(long)]
    json: bool,
}

/// Asks for new releases, and writes new releases into the catalog with `--write`.
///
/// # Errors
/// An unknown stack; a catalog that can't be written; the first stack whose releases could not be asked for,
/// after the others were printed.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let root = ProjectRoot::find()?;
    let (found, failed) = update(&root, &args.stacks, args.write)?;
    if args.json {
        crate::output::print_json(&found)?;
    } else {
        crate::output::print(&text(&found)?)?;
    }
    failed.map_or(Ok(Exit::Done), |error| Err(error.into()))
}
