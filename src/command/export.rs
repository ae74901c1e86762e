//! `shakedown export`.

use crate::{clock::since, exit::Exit, history::HistoryArgs};
use anyhow::{Context, Result};
use clap::ValueHint;
use shakedown_store::{
    export::{self, ExportFormat},
    query::SeriesFilter,
};
use std::{
    fs::File,
    io::{BufWriter, Write},
    path::PathBuf,
};

/// Hands the numbers of the history on to other tools.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    history: HistoryArgs,
    /// bencher, github-action-benchmark-bigger, github-action-benchmark-smaller, csv, openmetrics
    #[arg(long, short)]
    format: ExportFormat,
    /// Only this scenario
    #[arg(long)]
    scenario: Option<String>,
    /// Only this subject
    #[arg(long)]
    subject: Option<String>,
    /// Only runs since then: a day, 2026-11-21, or days back, 90d. Formats with one value per series
    /// get the newest
    #[arg(long, value_parser = since)]
    since: Option<i64>,
    /// File to write [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
}

/// Exports.
///
/// # Errors
/// If nothing fits, or the place can't be written to.
pub fn run(args: Args) -> Result<Exit> {
    let (_, index) = args.history.index()?;
    let which = SeriesFilter {
        scenario: args.scenario.as_deref(),
        subject: args.subject.as_deref(),
        ..SeriesFilter::default()
    };
    let mut out: Box<dyn Write> = match &args.out {
        Some(path) => {
            let file = File::create(path);
            Box::new(file.with_context(|| format!("can't write {}", path.display()))?)
        }
        None => Box::new(std::io::stdout().lock()),
    };
    let mut out = BufWriter::new(&mut out);
    export::export(args.format, &index, &which, args.since.unwrap_or(i64::MIN), &mut out)?;
    Ok(Exit::Done)
}
