//! `shakedown catalog share`.

use crate::{
    catalog::share::{JobMatrix, share, text},
    exit::Exit,
    project::ProjectRoot,
};
use anyhow::Result;
use shakedown_schedule::Suite;

/// Splits a suite over hosts. Each scenario is always measured on the same host, with all
/// subjects: results of two hosts can't be compared.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The split depends only on the names of hosts and scenarios. A new host takes over its share, and
no other scenario moves; the share of a removed host goes to the others.")]
pub(super) struct Args {
    /// Names of the hosts
    #[arg(required = true)]
    hosts: Vec<String>,
    /// Suite, by name or as a TOML file. With @sha256: and at least 12 digits of a digest behind it, a
    /// file with another digest is refused
    #[arg(long, short, default_value = "standard")]
    suite: String,
    /// Split the share of each host into this many parts, of at least 8 scenarios each
    #[arg(long, value_name = "N", default_value_t = 1)]
    parts: usize,
    /// Print a job matrix for GitHub Actions as JSON: {include: [{host, part, only}]}. `only` is a list of
    /// scenario ids, separated by spaces
    #[arg(long)]
    json: bool,
}

/// Splits the suite.
///
/// # Errors
/// A suite that is not known, or a host named twice.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let root = ProjectRoot::find()?;
    let suite = Suite::load(&root.catalog().join("suites"), &args.suite)?;
    let shares = share(&suite, &args.hosts, args.parts)?;
    if args.json {
        crate::output::print_json(&JobMatrix { include: shares })?;
    } else {
        crate::output::print(&text(&shares)?)?;
    }
    Ok(Exit::Done)
}
