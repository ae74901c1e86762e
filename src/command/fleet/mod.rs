//! `shakedown fleet`.

mod cross_check;

use crate::{
    exit::Exit,
    fleet::{FleetSource, fleet, text},
    github::access::ForgeAccess,
    history::HistoryArgs,
    output::{print, print_json},
};
use anyhow::Result;
use shakedown_forge::RepoName;

/// Shows each host: when it last measured, its epoch, whether it was fit, its noise in the last 7 days and in
/// the 21 before. With --repo, also its runner, and how many jobs wait for its labels.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "\
Noise is the median, over all rates, of half the width of the interval. The queue is that of one repository:
GitHub does not show those of others."
)]
pub struct Args {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    table: TableArgs,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Compare hosts that measured the same two subjects, and say which one is an outlier
    CrossCheck(cross_check::Args),
}

#[derive(Debug, clap::Args)]
struct TableArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// Ask GitHub about the runners that this repository can use
    #[arg(long, value_name = "OWNER/NAME")]
    repo: Option<RepoName>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    access: ForgeAccess,
}

/// Shows the hosts.
///
/// # Errors
/// If there is no history; errors of the forge.
pub fn run(args: Args) -> Result<Exit> {
    if let Some(Verb::CrossCheck(args)) = args.verb {
        return cross_check::run(args);
    }
    let TableArgs { history, repo, json, access } = args.table;
    let (_, index) = history.index()?;
    let source = repo.map(|repo| FleetSource { repo, access });
    let found = fleet(&index, source.as_ref())?;
    if json {
        print_json(&found)?
    } else {
        print(&text::table(&found))?
    }
    Ok(Exit::Done)
}
