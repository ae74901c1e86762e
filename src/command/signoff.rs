//! `shakedown signoff`.
#![allow(dead_code)] // until the verbs are built in

use super::gate::Policies;
use crate::exit::Exit;
use anyhow::Result;
use clap::ValueHint;
use protocol::Subject;
use std::path::PathBuf;

/// Checks a release candidate: against the last release, and against the history. Leaves one
/// folder with the verdict and everything that it rests on.
///
/// Fails where a scenario regressed without an accepted entry (1), where a suspect of the
/// history is open or evidence is missing (5), and where the host was unfit (4). Every reason is
/// named.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  shakedown signoff --candidate rustls@git:v0.24.0-rc.1 --baseline rustls@0.23 --out signoff
  shakedown signoff --candidate openssl@4.0.4 --baseline openssl@4.0.3 --record run/ --out signoff
  (cd signoff && sha256sum -c SHA256SUMS)")]
pub struct Args {
    /// What shall be released
    #[arg(long, value_name = "SUBJECT")]
    candidate: Subject,
    /// The last release
    #[arg(long, value_name = "SUBJECT")]
    baseline: Subject,
    /// A comparison that was measured already, baseline first: a record.json or its folder
    /// [default: measured now]
    #[arg(long, value_name = "RECORD", value_hint = ValueHint::AnyPath)]
    record: Option<PathBuf>,
    /// Which suite to measure, by name or as a TOML file
    #[arg(long, short, default_value = "pr", conflicts_with = "record")]
    suite: String,
    /// Which CPU to measure on [default: the last isolated one, or else the last one]
    #[arg(long, conflicts_with = "record")]
    cpu: Option<u32>,
    #[command(flatten)]
    policies: Policies,
    /// Folder of the history
    #[arg(
        long,
        value_name = "DIR",
        env = "SHAKEDOWN_HISTORY",
        default_value = "shakedown-history",
        value_hint = ValueHint::DirPath
    )]
    history: PathBuf,
    /// Folder for everything; must be empty or not be there
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
pub fn run(_args: Args) -> Result<Exit> {
    anyhow::bail!("not built in yet")
}
