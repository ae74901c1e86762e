//! `shakedown history`.

mod ask;
mod changes;
mod keep;
mod noise;
mod plot;

pub use changes::{describe, find_suspect};

use crate::exit::Exit;
use anyhow::{Context, Result};
use clap::{Subcommand, ValueHint};
use shakedown_report::plain;
use shakedown_store::{Index, Store};
use std::{path::PathBuf, time::SystemTime};

/// Keeps every run, and answers questions about them.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Add run records; what is there already changes nothing
    Add(keep::AddArgs),
    /// List the stored runs, newest first
    List(ask::ListArgs),
    /// Show the numbers of one stored run
    Show(ask::ShowArgs),
    /// Show a scenario over time
    Trend(ask::TrendArgs),
    /// Rank the subjects of a scenario by their newest values
    Best(ask::BestArgs),
    /// Put the newest values of two subjects side by side
    Compare(ask::CompareArgs),
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
    Compact(keep::CompactArgs),
    /// Check every file against its name and the manifest
    Verify(keep::VerifyArgs),
    /// Commit, pull and push the history with git
    Sync(keep::SyncArgs),
    /// Make the index again from the files
    Reindex(keep::ReindexArgs),
}

/// Does what the command line asks for.
///
/// # Errors
/// Whatever the history can't do, and why.
pub fn run(args: Args) -> Result<Exit> {
    match args.verb {
        Verb::Add(args) => keep::add(args),
        Verb::List(args) => ask::list(args),
        Verb::Show(args) => ask::show(args),
        Verb::Trend(args) => ask::trend(args),
        Verb::Best(args) => ask::best(args),
        Verb::Compare(args) => ask::compare(args),
        Verb::Changes(args) => changes::changes(args),
        Verb::Causes(args) => changes::causes(args),
        Verb::Decide(args) => changes::decide(args),
        Verb::BisectRange(args) => changes::bisect_range(args),
        Verb::Noise(args) => noise::noise(&args),
        Verb::Plot(args) => plot::plot(args),
        Verb::Compact(args) => keep::compact(args),
        Verb::Verify(args) => keep::verify(args),
        Verb::Sync(args) => keep::sync(args),
        Verb::Reindex(args) => keep::reindex(args),
    }
}

/// Where the history is.
#[derive(Debug, clap::Args)]
pub struct Place {
    /// Folder of the history
    #[arg(
        long = "history",
        alias = "dir",
        value_name = "DIR",
        env = "SHAKEDOWN_HISTORY",
        default_value = "shakedown-history",
        value_hint = ValueHint::DirPath
    )]
    pub folder: PathBuf,
}

impl Place {
    /// The files.
    ///
    /// # Errors
    /// If the folder holds something else.
    pub fn store(&self) -> Result<Store> {
        Ok(Store::open(&self.folder)?)
    }

    /// The files and an index that is up to date. Runs that can't be read are told on standard
    /// error; the others still answer.
    ///
    /// # Errors
    /// If the folder or the index can't be used.
    pub fn index(&self) -> Result<(Store, Index)> {
        let store = self.store()?;
        let (index, updated) = Index::open(&store)?;
        for damaged in &updated.damaged {
            eprintln!("warning: left out: {}", plain(damaged));
        }
        Ok((store, index))
    }
}

/// From when on.
#[derive(Debug, clap::Args)]
pub struct Since {
    /// Only runs since then: a day, 2026-11-21, or days back, 90d
    #[arg(long, value_parser = since)]
    since: Option<i64>,
}

impl Since {
    /// That moment, in milliseconds since 1970 UTC.
    pub fn ms(&self) -> i64 {
        self.since.unwrap_or(i64::MIN)
    }
}

/// Milliseconds since 1970 UTC.
///
/// # Errors
/// If the clock is before that.
pub fn now_ms() -> Result<u64> {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .context("the clock is before 1970: set it")?;
    Ok(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// A day (`2026-11-21`) or a number of days back (`90d`), in milliseconds since 1970 UTC.
///
/// # Errors
/// For people, as clap shows it.
pub fn since(text: &str) -> Result<i64, String> {
    if let Some(days) = text.strip_suffix('d').and_then(|days| days.parse::<u32>().ok()) {
        let now = now_ms().map_err(|error| error.to_string())?;
        return Ok(i64::try_from(now).unwrap_or(i64::MAX) - i64::from(days) * 86_400_000);
    }
    let day: jiff::civil::Date =
        text.parse().map_err(|_| "write a day, 2026-11-21, or days back, 90d".to_owned())?;
    let midnight = day.to_zoned(jiff::tz::TimeZone::UTC).map_err(|error| error.to_string())?;
    Ok(midnight.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_is_a_day_or_days_back() {
        // date -u -d 2026-11-21 +%s
        assert_eq!(since("2026-11-21").unwrap(), 1_795_219_200_000);
        let back = since("2d").unwrap();
        assert!((now_ms().unwrap() as i64 - back - 172_800_000).abs() < 5_000);
        for wrong in ["", "yesterday", "d", "-3d", "2026-13-01"] {
            assert!(since(wrong).is_err(), "{wrong}");
        }
    }
}
