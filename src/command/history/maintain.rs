//! Maintenance of the history: add, compact, verify, sync, reindex.

use crate::{
    exit::Exit,
    history::{AddedRecord, HistoryArgs, add_path},
    output::{print, print_json},
};
use anyhow::Result;
use clap::ValueHint;
use shakedown_report::{plain, words::plural};
use shakedown_store::Index;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub struct AddArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// Run records, or folders of runs and studies
    #[arg(required = true, value_hint = ValueHint::AnyPath)]
    records: Vec<PathBuf>,
}

/// Adds each record, also after one was refused.
pub fn add(args: AddArgs) -> Result<Exit> {
    let store = args.history.store_or_new()?;
    let mut exit = Exit::Done;
    for path in &args.records {
        for (file, added) in add_path(&store, path)? {
            if !tell(&file, added)? {
                exit = Exit::Input;
            }
        }
    }
    Ok(exit)
}

/// Says what became of a file, and whether the history has it.
fn tell(file: &Path, added: AddedRecord) -> Result<bool> {
    match added {
        AddedRecord::Stored(added) => {
            let word = if added.new { "added" } else { "already stored" };
            print(&format!("{word}: {}\n", added.name))?;
            for warning in added.warnings {
                eprintln!("warning: {}: {}", file.display(), plain(&warning));
            }
            Ok(true)
        }
        AddedRecord::Refused(error) => {
            eprintln!("error: {}: {}", file.display(), plain(&error.to_string()));
            Ok(false)
        }
    }
}

#[derive(Debug, clap::Args)]
pub struct CompactArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// Pack the months before this one
    #[arg(long, value_name = "YYYY-MM", value_parser = month)]
    before: String,
}

fn month(text: &str) -> Result<String, String> {
    let sound = format!("{text}-01").parse::<jiff::civil::Date>().is_ok() && text.len() == 7;
    if sound { Ok(text.to_owned()) } else { Err("write a month, such as 2026-10".to_owned()) }
}

/// Packs old months.
pub fn compact(args: CompactArgs) -> Result<Exit> {
    let packed = args.history.store()?.compact(&args.before)?;
    print(&format!(
        "packed {} of {}: {} KiB became {} KiB\n",
        plural(packed.runs, "run", "runs"),
        plural(packed.months, "month", "months"),
        packed.before.div_ceil(1024),
        packed.after.div_ceil(1024)
    ))?;
    Ok(Exit::Done)
}

#[derive(Debug, clap::Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// Move damaged files to quarantine/, so that an intact copy can be added again
    #[arg(long)]
    quarantine: bool,
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

/// Checks every file; exits with 2 if one is damaged or missing.
pub fn verify(args: VerifyArgs) -> Result<Exit> {
    let found = args.history.store()?.verify(args.quarantine)?;
    if args.json {
        print_json(&found)?;
    } else {
        for problem in &found.problems {
            let kind = serde_json::to_value(problem.kind)?;
            let kind = kind.as_str().unwrap_or_default().to_owned();
            print(&format!("{kind}: {}: {}\n", plain(&problem.what), plain(&problem.reason)))?;
        }
        print(&format!(
            "intact: {}, {}, {}; {}\n",
            plural(found.whole, "run", "runs"),
            plural(found.decisions, "decision", "decisions"),
            plural(found.studies, "study", "studies"),
            plural(found.problems.len(), "problem", "problems")
        ))?;
    }
    Ok(if found.problems.is_empty() { Exit::Done } else { Exit::Input })
}

#[derive(Debug, clap::Args)]
pub struct SyncArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// Repository to sync with; required the first time
    #[arg(long, value_name = "URL")]
    remote: Option<String>,
    /// Branch that holds the history
    #[arg(long, default_value = "history")]
    branch: String,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Commits, pulls and pushes.
pub fn sync(args: SyncArgs) -> Result<Exit> {
    let done =
        shakedown_store::sync(&args.history.store_or_new()?, args.remote.as_deref(), &args.branch)?;
    if args.json {
        print_json(&done)?;
    } else {
        let word = |done, yes, no| if done { yes } else { no };
        let pulled = word(done.pulled, "pulled", "nothing to pull");
        let pushed = word(done.pushed, "pushed", "nothing to push");
        print(&format!("{pulled}, {pushed}, {} retries after a lost race\n", done.retries))?;
    }
    Ok(Exit::Done)
}

#[derive(Debug, clap::Args)]
pub struct ReindexArgs {
    #[command(flatten)]
    history: HistoryArgs,
}

/// Rebuilds the index.
pub fn reindex(args: ReindexArgs) -> Result<Exit> {
    let store = args.history.store()?;
    let (_, updated) = Index::rebuild(&store)?;
    for damaged in &updated.damaged {
        eprintln!("warning: left out: {}", plain(damaged));
    }
    print(&format!("{} runs are in the index\n", updated.added))?;
    Ok(if updated.damaged.is_empty() { Exit::Done } else { Exit::Input })
}
