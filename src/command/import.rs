//! `shakedown import`.

use crate::{
    clock::{now_ms, since},
    exit::Exit,
    history::HistoryArgs,
    output::{print, say},
};
use anyhow::{Context, Result};
use clap::ValueHint;
use shakedown_protocol::Subject;
use shakedown_report::plain;
use shakedown_store::import::{self, ImportFormat, ImportSource};
use std::{fs, path::PathBuf};

/// Adds measurements of other tools to the history. Text files of one tool that are given together
/// are trials of the same thing. A line that can't be parsed stops the import.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    history: HistoryArgs,
    /// rustls-bench, openssl-bench, criterion, bencher, github-action-benchmark
    #[arg(long, short)]
    format: ImportFormat,
    /// Subject that was measured, for example openssl@3.2.0+gcc
    #[arg(long)]
    subject: Subject,
    /// Its revision
    #[arg(long)]
    revision: Option<String>,
    /// Day of the measurement; formats that contain times ignore it
    #[arg(long, value_name = "DAY", value_parser = since)]
    at: i64,
    /// Host that measured it
    #[arg(long)]
    host: String,
    /// Epoch of that host; numbers are compared inside one epoch only [default: the host's name]
    #[arg(long)]
    epoch: Option<String>,
    /// Files to import
    #[arg(required = true, value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
}

/// Imports.
///
/// # Errors
/// Names the file and line that is not understood; then nothing was added.
pub fn run(args: Args) -> Result<Exit> {
    let mut files = Vec::new();
    for path in args.files {
        let text =
            fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
        files.push((path, text));
    }
    let about = ImportSource {
        subject: args.subject.to_string(),
        revision: args.revision,
        started_ms: u64::try_from(args.at).context("--at is before 1970")?,
        epoch: args.epoch.unwrap_or_else(|| args.host.clone()),
        host: args.host,
    };
    let imported = import::read(args.format, &files, &about)?;
    let store = args.history.store_or_new()?;
    for warning in &imported.warnings {
        say(format_args!("warning: {}", plain(warning)));
    }
    for import in &imported.imports {
        let added = store.add(&serde_json::to_string(import)?, now_ms()?)?;
        let word = if added.new { "added" } else { "already stored" };
        print(&format!("{word}: {} with {} numbers\n", added.name, import.rows.len()))?;
    }
    Ok(Exit::Done)
}
