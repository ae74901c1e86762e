//! Arguments that choose a history and series in it.

use crate::output::say;
use anyhow::Result;
use clap::ValueHint;
use shakedown_report::plain;
use shakedown_store::{Index, Store, query::SeriesFilter};
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
