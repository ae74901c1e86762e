//! `shakedown host metrics`.

use crate::{exit::Exit, output::print};
use anyhow::{Context, Result};
use clap::{ValueEnum, ValueHint};
use shakedown_host::{
    health::{self, RunHealth},
    metrics::{self, HostHealth},
};
use std::{
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

/// Writes the host's health for node_exporter's textfile collector: time of the report, fitness,
/// differing knobs, disk space, runner and queue, noise of its runs and the trend of that noise.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    machine: super::MachineArgs,
    /// File to write, for example /var/lib/prometheus/node-exporter/shakedown.prom
    /// [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// The last run, as a record or its folder; instead of --health
    #[arg(long, value_name = "RECORD", value_hint = ValueHint::AnyPath, conflicts_with = "health")]
    run: Option<PathBuf>,
    /// Folder with the health of earlier runs, which the hook writes after each job
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    health: Option<PathBuf>,
    /// The host's lock: report whether it is held
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    lock: Option<PathBuf>,
    /// State of the runner's service
    #[arg(long, value_name = "STATE")]
    runner: Option<Runner>,
    /// Number of workflow runs that wait for a host
    #[arg(long, value_name = "N")]
    queued: Option<u64>,
    /// Folder whose free disk space to report; may be repeated
    #[arg(long, value_name = "DIR", default_value = "/", value_hint = ValueHint::DirPath)]
    disk: Vec<PathBuf>,
}

/// State of the runner's service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Runner {
    /// It accepts jobs.
    Up,
    /// It does not accept jobs.
    Down,
}

/// Writes.
///
/// # Errors
/// If `/proc`, the record or the file's folder can't be used.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let root = args.machine.root();
    let facts = shakedown_host::observe(&root)?;
    let runs = match (&args.run, &args.health) {
        (Some(path), _) => {
            let folder = path.parent().filter(|_| path.is_file()).unwrap_or(path);
            vec![RunHealth::of(&shakedown_schedule::load_record(folder)?)]
        }
        (None, Some(folder)) => health::runs(folder),
        (None, None) => vec![],
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let journal = shakedown_host::TuneOptions::new(&root).journal;
    let health = HostHealth {
        now_ms: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
        runs,
        disks: args.disk.clone(),
        tuned: shakedown_host::is_tuned(&root, &journal).unwrap_or(false),
        runner_up: args.runner.map(|runner| runner == Runner::Up),
        busy: args.lock.as_ref().and_then(|lock| metrics::is_locked(&root, lock)),
        queued: args.queued,
    };
    let text = metrics::metrics(&root, &facts, &health);
    match &args.out {
        None => print(&text)?,
        Some(path) => metrics::write(path, &text)
            .with_context(|| format!("can't write {}", path.display()))?,
    }
    Ok(Exit::Done)
}
