//! `shakedown report`.

use crate::{
    exit::Exit,
    report::{self, Format},
};
use anyhow::{Context, Result};
use clap::ValueHint;
use protocol::RunRecord;
use std::{fs, path::PathBuf};

/// Makes a report of a run record: for a terminal, as Markdown or as HTML.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A record.json, or the folder that it is in
    #[arg(value_hint = ValueHint::AnyPath)]
    record: PathBuf,
    /// As what
    #[arg(long, short, value_enum, default_value = "table")]
    format: As,
    /// Where to write it [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum As {
    /// The table that `run` prints
    Table,
    /// Markdown
    Md,
    /// A page that needs no other file
    Html,
    /// The summary as JSON
    Json,
}

/// Makes the report.
///
/// # Errors
/// A record that can't be read, or a place that can't be written to.
pub fn run(args: Args) -> Result<Exit> {
    let record = read(&args.record)?;
    let summary = gate::summary::summarize(&record);
    let report = report::Report::new(&record, &summary);
    let text = match args.format {
        As::Table => report::table(&report),
        As::Md => report.render(Format::Markdown)?,
        As::Html => report.render(Format::Html)?,
        As::Json => serde_json::to_string_pretty(&summary.rows)? + "\n",
    };
    match args.out {
        Some(path) => {
            fs::write(&path, text).with_context(|| format!("can't write {}", path.display()))?
        }
        None => super::print(&text)?,
    }
    Ok(Exit::Done)
}

/// Reads a record from a file or the folder that it is in.
///
/// # Errors
/// Why it can't be read, with its path.
pub fn read(path: &std::path::Path) -> Result<RunRecord> {
    let path = if path.is_dir() { schedule::record_path(path) } else { path.to_owned() };
    let text =
        fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    RunRecord::from_json(&text).with_context(|| path.display().to_string())
}
