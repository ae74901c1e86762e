//! `shakedown history`.

mod changes;
mod maintain;
mod noise;
mod plot;
mod query;

use crate::exit::Exit;
use anyhow::Result;
use clap::Subcommand;

/// Keeps every run, and answers questions about them.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Add run records; what is there already changes nothing
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
    /// Look for changes over the nights, and list what was found
    Changes(changes::ChangesArgs),
    /// Group the suspects by what they have in common: one entry a cause
    Causes(changes::CausesArgs),
    /// Say of a suspect that it is confirmed or dismissed
    Decide(changes::DecideArgs),
    /// Tell the last good and the first bad revision of a change
    BisectRange(changes::BisectArgs),
    /// Print the noise of a host, for `compare --history FILE` where the history itself can't be
    Noise(noise::NoiseArgs),
    /// Draw a trend, or a stack release by release
    Plot(plot::PlotArgs),
    /// Pack old months into one file each
    Compact(maintain::CompactArgs),
    /// Check every file against its name and the manifest
    Verify(maintain::VerifyArgs),
    /// Commit, pull and push the history with git
    Sync(maintain::SyncArgs),
    /// Make the index again from the files
    Reindex(maintain::ReindexArgs),
}

/// Does what the command line asks for.
///
/// # Errors
/// Whatever the history can't do, and why.
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
