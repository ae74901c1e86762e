//! `shakedown signoff`.

use crate::{
    exit::Exit,
    history,
    host_options::HostOptions,
    output::{print, print_json},
    policies::Policies,
    signoff::{SignoffOptions, exit, signoff, text},
};
use anyhow::Result;
use clap::ValueHint;
use shakedown_protocol::Subject;
use std::path::PathBuf;

/// Checks a release candidate against the last release and the history. Writes a folder with the
/// verdict and its evidence.
///
/// Prints what blocks the release. Exits with 1 if a scenario regressed and no entry accepts it, with
/// 4 if the host was not fit, and with 5 if a suspect is open or evidence is missing.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  shakedown signoff --candidate rustls@git:v0.24.0-rc.1 --baseline rustls@0.23 --out signoff
  shakedown signoff --candidate openssl@4.0.4 --baseline openssl@4.0.3 --record run/ --out signoff
  (cd signoff && sha256sum -c SHA256SUMS)")]
pub struct Args {
    /// Release candidate
    #[arg(long, value_name = "SUBJECT")]
    candidate: Subject,
    /// Last release
    #[arg(long, value_name = "SUBJECT")]
    baseline: Subject,
    /// Comparison to use, baseline first: a record.json or its folder [default: measure now]
    #[arg(long, value_name = "RECORD", value_hint = ValueHint::AnyPath, conflicts_with = "HostOptions")]
    record: Option<PathBuf>,
    /// Suite to measure, by name or as a TOML file
    #[arg(long, short, default_value = "pr", conflicts_with = "record")]
    suite: String,
    #[command(flatten)]
    host_options: HostOptions,
    #[command(flatten)]
    policies: Policies,
    #[command(flatten)]
    history: history::HistoryArgs,
    /// Folder to write; must be empty or missing
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Checks the candidate.
///
/// # Errors
/// Bad input, failed builds, a full disk.
pub fn run(args: Args) -> Result<Exit> {
    let Args { candidate, baseline, record, suite, host_options, policies, history, out, json } =
        args;
    let history = history.folder;
    let result = signoff(&SignoffOptions {
        candidate,
        baseline,
        record,
        suite,
        host_options,
        policies,
        history,
        out,
    })?;
    if json {
        print_json(&result)?
    } else {
        print(&text(&result)?)?
    }
    Ok(exit(&result.against))
}
