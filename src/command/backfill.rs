//! `shakedown backfill`.

use crate::{
    backfill::{BackfillOptions, BackfillState, Tried, backfill},
    clock::Since,
    exit::Exit,
    history::HistoryArgs,
    host_options::HostOptions,
    output::{print, print_json},
};
use anyhow::Result;
use clap::ValueHint;
use shakedown_report::{columns, plain, utc_of};
use std::path::PathBuf;

/// Measures what the history lacks because a driver did not fit, with today's driver, and adds the
/// numbers where they are missing. Only measurements of this host's epoch, newest first.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
`shakedown history owed` lists what is missing. What is in the history already is not measured
again; what was killed is finished by the next call with the same --out.")]
pub struct Args {
    #[command(flatten)]
    history: HistoryArgs,
    /// What is missing, from `shakedown history owed --json`, in place of a history. What is measured is
    /// added to none: as in a sandbox
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    owed: Option<PathBuf>,
    #[command(flatten)]
    since: Since,
    /// Start no measurement after this many minutes
    #[arg(long, value_name = "N", default_value_t = 60)]
    minutes: u64,
    /// Also try subjects whose driver has not fitted any later revision
    #[arg(long)]
    all: bool,
    /// Folder for the records and reports: each measurement gets a folder in it
    #[arg(long, short, value_name = "DIR", default_value = "runs/backfill", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    #[command(flatten)]
    host_options: HostOptions,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Measures.
///
/// # Errors
/// A history or a host that can't be used.
pub fn run(args: Args) -> Result<Exit> {
    let Args { history, owed, since, minutes, all, out, host_options, json } = args;
    let since_ms = since.ms();
    let tried =
        backfill(&BackfillOptions { history, owed, since_ms, minutes, all, out, host_options })?;
    if json {
        print_json(&tried)?;
    } else {
        print(&text(&tried))?;
    }
    Ok(Exit::Done)
}

fn text(tried: &[Tried]) -> String {
    if tried.is_empty() {
        return "nothing to measure again on this host\n".to_owned();
    }
    let row = |one: &Tried| {
        let state = match one.state {
            BackfillState::Measured => "measured",
            BackfillState::Incompatible => "the driver still does not fit",
            BackfillState::Failed => "failed",
            BackfillState::Waiting => "the time was up",
        };
        let reason = one.reason.as_deref().and_then(|reason| reason.lines().next());
        let owed = &one.owed;
        vec![
            utc_of(owed.started_ms),
            owed.subject.clone(),
            owed.revision.chars().take(12).collect(),
            owed.suite.clone(),
            state.to_owned(),
            plain(reason.unwrap_or_default()),
        ]
    };
    let rows: Vec<Vec<String>> = tried.iter().map(row).collect();
    columns(&["missed", "subject", "revision", "suite", "now", ""], 9, &rows)
}
