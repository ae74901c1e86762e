//! Queries of the history: list, show, trend, best, compare.

use crate::{
    clock::Since,
    exit::Exit,
    history::{HistoryArgs, SeriesArgs, TrendSelection, tables},
    output::{print, print_json},
};
use anyhow::Result;
use shakedown_store::{Document, RunName};

#[derive(Debug, clap::Args)]
pub struct ListArgs {
    #[command(flatten)]
    history: HistoryArgs,
    #[command(flatten)]
    since: Since,
    /// Maximum number of runs
    #[arg(long, default_value_t = 50)]
    limit: usize,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Lists runs.
pub fn list(args: ListArgs) -> Result<Exit> {
    let (_, index) = args.history.index()?;
    let runs = index.runs(args.since.ms(), args.limit)?;
    if args.json {
        print_json(&runs)?
    } else {
        print(&tables::runs(&runs))?
    }
    Ok(Exit::Done)
}

#[derive(Debug, clap::Args)]
pub struct ShowArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// Name of the run, or the first characters of the name or of its digest
    run: String,
    /// Print the numbers as JSON
    #[arg(long)]
    json: bool,
    /// Print the whole record with its raw samples
    #[arg(long, conflicts_with = "json")]
    record: bool,
}

/// Shows one run.
pub fn show(args: ShowArgs) -> Result<Exit> {
    let (store, index) = args.history.index()?;
    let name: RunName = index.find_run(&args.run)?.parse()?;
    if args.record {
        print(&(store.read(&name)? + "\n"))?;
        return Ok(Exit::Done);
    }
    let values = match store.document(&name)? {
        Document::Run(record) => shakedown_store::rows(&record),
        Document::Import(import) => import.rows,
    };
    if args.json {
        print_json(&values)?;
    } else {
        print(&tables::values(&name.to_string(), &values))?;
    }
    Ok(Exit::Done)
}

#[derive(Debug, clap::Args)]
pub struct TrendArgs {
    #[command(flatten)]
    selection: TrendSelection,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Shows a scenario over time.
pub fn trend(args: TrendArgs) -> Result<Exit> {
    let (_, _, trends) = args.selection.trends()?;
    if args.json {
        print_json(&trends)?
    } else {
        print(&tables::trends(&trends))?
    }
    Ok(Exit::Done)
}

#[derive(Debug, clap::Args)]
pub struct BestArgs {
    #[command(flatten)]
    history: HistoryArgs,
    #[command(flatten)]
    series: SeriesArgs,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Ranks subjects. Each value is shown with its host epoch: two epochs are not comparable.
pub fn best(args: BestArgs) -> Result<Exit> {
    let (_, index) = args.history.index()?;
    let trends = index.best(&args.series.filter())?;
    if args.json {
        print_json(&trends)?
    } else {
        print(&tables::ranking(&trends))?
    }
    Ok(Exit::Done)
}

#[derive(Debug, clap::Args)]
pub struct CompareArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// First subject
    base: String,
    /// Second subject
    head: String,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Puts two subjects side by side.
pub fn compare(args: CompareArgs) -> Result<Exit> {
    let (_, index) = args.history.index()?;
    let pairs = index.compare(&args.base, &args.head)?;
    if args.json {
        print_json(&pairs)?;
    } else {
        print(&tables::comparison(&args.base, &args.head, &pairs))?;
    }
    Ok(Exit::Done)
}
