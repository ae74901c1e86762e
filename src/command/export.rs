//! `shakedown export`.

use crate::{clock::since, exit::Exit, history::HistoryArgs, output::say};
use anyhow::{Context, Result, bail};
use clap::ValueHint;
use shakedown_report::plain;
use shakedown_store::{
    StoreError,
    export::{self, ExportFormat},
    query::SeriesFilter,
};
use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    str::FromStr,
};

/// What is written.
#[derive(Debug, Clone, Copy)]
enum Format {
    /// One text.
    Text(ExportFormat),
    /// A folder of files.
    Parquet,
}

impl FromStr for Format {
    type Err = StoreError;

    fn from_str(text: &str) -> Result<Self, StoreError> {
        if text == "parquet" { Ok(Self::Parquet) } else { text.parse().map(Self::Text) }
    }
}

/// Hands the numbers of the history on to other tools.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    history: HistoryArgs,
    /// bencher, github-action-benchmark-bigger, github-action-benchmark-smaller, csv, openmetrics,
    /// parquet
    #[arg(long, short)]
    format: Format,
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
    /// File to write [default: standard output]; of parquet, the folder
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    out: Option<PathBuf>,
}

/// Exports.
///
/// # Errors
/// If nothing fits, or the place can't be written to.
pub fn run(args: Args) -> Result<Exit> {
    let which = SeriesFilter {
        scenario: args.scenario.as_deref(),
        subject: args.subject.as_deref(),
        ..SeriesFilter::default()
    };
    let since = args.since.unwrap_or(i64::MIN);
    match (args.format, &args.out) {
        (Format::Text(format), out) => text(&args.history, format, &which, since, out.as_deref()),
        (Format::Parquet, Some(out)) => parquet(&args.history, &which, since, out),
        (Format::Parquet, None) => bail!("Parquet is many files: name a folder with --out"),
    }
}

fn text(
    history: &HistoryArgs,
    format: ExportFormat,
    which: &SeriesFilter<'_>,
    since: i64,
    out: Option<&Path>,
) -> Result<Exit> {
    let (_, index) = history.index()?;
    let mut out: Box<dyn Write> = match out {
        Some(path) => {
            let file = File::create(path);
            Box::new(file.with_context(|| format!("can't write {}", path.display()))?)
        }
        None => Box::new(std::io::stdout().lock()),
    };
    export::export(format, &index, which, since, &mut BufWriter::new(&mut out))?;
    Ok(Exit::Done)
}

fn parquet(
    history: &HistoryArgs,
    which: &SeriesFilter<'_>,
    since: i64,
    out: &Path,
) -> Result<Exit> {
    let done = export::parquet(&history.store()?, which, since, out)?;
    for damaged in &done.damaged {
        say(format_args!("warning: left out: {}", plain(damaged)));
    }
    let (rows, runs, months) = (done.rows, done.runs, done.months);
    say(format_args!("{rows} rows of {runs} runs in {months} months: {}", out.display()));
    Ok(Exit::Done)
}
