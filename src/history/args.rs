//! Arguments that choose a history and series in it.

use crate::{clock::Since, output::say};
use anyhow::Result;
use clap::ValueHint;
use shakedown_report::plain;
use shakedown_store::{
    Index, Store,
    query::{SeriesFilter, Trend},
};
use std::path::PathBuf;

/// The history to use.
#[derive(Debug, clap::Args)]
pub struct HistoryArgs {
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

impl HistoryArgs {
    /// Opens a history that exists.
    ///
    /// # Errors
    /// If there is none in the folder, or something else.
    pub fn store(&self) -> Result<Store> {
        Ok(Store::open(&self.folder)?)
    }

    /// Opens the history, and begins it where there is none: for what adds to it.
    ///
    /// # Errors
    /// If the folder contains something else, or can't be written to.
    pub fn store_or_new(&self) -> Result<Store> {
        Ok(Store::open_or_create(&self.folder)?)
    }

    /// Opens the files and brings the index up to date. Prints a warning for each run that can't be
    /// read and leaves it out.
    ///
    /// # Errors
    /// If the folder or the index can't be used.
    pub fn index(&self) -> Result<(Store, Index)> {
        let store = self.store()?;
        let (index, updated) = Index::open(&store)?;
        for damaged in &updated.damaged {
            say(format_args!("warning: left out: {}", plain(damaged)));
        }
        Ok((store, index))
    }
}

/// The series of a scenario.
#[derive(Debug, clap::Args)]
pub struct SeriesArgs {
    /// Scenario id
    scenario: String,
    /// Only this subject
    #[arg(long)]
    subject: Option<String>,
    /// Only this side
    #[arg(long)]
    side: Option<String>,
    /// Only this metric
    #[arg(long)]
    metric: Option<String>,
}

impl SeriesArgs {
    /// As a filter for queries.
    pub fn filter(&self) -> SeriesFilter<'_> {
        SeriesFilter {
            scenario: Some(&self.scenario),
            subject: self.subject.as_deref(),
            side: self.side.as_deref(),
            metric: self.metric.as_deref(),
        }
    }
}

/// The series of a scenario over time.
#[derive(Debug, clap::Args)]
pub struct TrendSelection {
    #[command(flatten)]
    history: HistoryArgs,
    #[command(flatten)]
    series: SeriesArgs,
    #[command(flatten)]
    since: Since,
}

impl TrendSelection {
    /// The history, and the series in it.
    ///
    /// # Errors
    /// If the history can't be used, or has no such series.
    pub fn trends(&self) -> Result<(Store, Index, Vec<Trend>)> {
        let (store, index) = self.history.index()?;
        let trends = index.trends(&self.series.filter(), self.since.ms())?;
        Ok((store, index, trends))
    }
}
