//! `shakedown history`.

mod bisections;
mod changes;
mod confirmations;
mod maintain;
mod noise;
mod owed;
mod plot;
mod pool;
mod query;

use crate::exit::Exit;
use anyhow::Result;
use clap::Subcommand;

/// Stores runs and queries them.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Add run records and studies; what is already stored changes nothing
    Add(maintain::AddArgs),
    /// List the stored runs, newest first
    List(query::ListArgs),
    /// Show the numbers of one stored run
    Show(query::ShowArgs),
    /// Show a scenario over time
    Trend(query::TrendArgs),
    /// Rank the subjects of a scenario by their newest values
    Best(query::BestArgs),
    /// Put the newest values of two subjects side by side
    Compare(query::CompareArgs),
    /// Look for changes over time and list the suspects
    Changes(changes::ChangesArgs),
    /// Group the suspects by cause
    Causes(changes::CausesArgs),
    /// Choose the suspects to measure again tonight: one of each cause, within a budget
    Confirmations(confirmations::Args),
    /// Choose the confirmed changes to bisect tonight: one of each cause, within a budget
    Bisections(bisections::Args),
    /// Keep what a bisection of a confirmed change came to
    Bisected(bisections::BisectedArgs),
    /// List the measurements that are missing because a driver did not fit
    Owed(owed::OwedArgs),
    /// Confirm or dismiss a suspect
    Decide(changes::DecideArgs),
    /// Print the last good and the first bad revision of a change
    BisectRange(changes::BisectArgs),
    /// Print the noise of a host, for `compare --history FILE` on a machine without the history
    Noise(noise::NoiseArgs),
    /// Plot a trend, or the releases of a stack
    Plot(plot::PlotArgs),
    /// Pack old months into one file each
    Compact(maintain::CompactArgs),
    /// Check every file against its name and the manifest
    Verify(maintain::VerifyArgs),
    /// Commit, pull and push the history with git
    Sync(maintain::SyncArgs),
    /// Rebuild the index from the files
    Reindex(maintain::ReindexArgs),
}

/// Runs the subcommand.
///
/// # Errors
/// Errors of the history; bad input.
pub fn run(args: Args) -> Result<Exit> {
    match args.verb {
        Verb::Add(args) => maintain::add(args),
        Verb::List(args) => query::list(args),
        Verb::Show(args) => query::show(args),
        Verb::Trend(args) => query::trend(args),
        Verb::Best(args) => query::best(args),
        Verb::Compare(args) => query::compare(args),
        Verb::Changes(args) => changes::changes(args),
        Verb::Causes(args) => changes::causes(args),
        Verb::Confirmations(args) => confirmations::confirmations(&args),
        Verb::Bisections(args) => bisections::bisections(&args),
        Verb::Bisected(args) => bisections::bisected(&args),
        Verb::Owed(args) => owed::owed(args),
        Verb::Decide(args) => changes::decide(args),
        Verb::BisectRange(args) => changes::bisect_range(args),
        Verb::Noise(args) => noise::noise(&args),
        Verb::Plot(args) => plot::plot(args),
        Verb::Compact(args) => maintain::compact(args),
        Verb::Verify(args) => maintain::verify(args),
        Verb::Sync(args) => maintain::sync(args),
        Verb::Reindex(args) => maintain::reindex(args),
    }
}
