//! `shakedown host metrics`.

use crate::{command::print, exit::Exit};
use anyhow::{Context, Result};
use clap::ValueHint;
use host::metrics::{self, Health};
use std::{
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

/// Writes the host's health for node_exporter's textfile collector: when it was last seen,
/// whether it is fit, which knobs differ, room on its disks, noise of its last run.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    machine: super::Machine,
    /// File to write, for example /var/lib/prometheus/node-exporter/shakedown.prom
    /// [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// The last run, as a record or its folder
    #[arg(long, value_name = "RECORD", value_hint = ValueHint::AnyPath)]
    run: Option<PathBuf>,
    /// A folder whose disk must not fill up; may be repeated
    #[arg(long, value_name = "DIR", default_value = "/", value_hint = ValueHint::DirPath)]
    disk: Vec<PathBuf>,
}

/// Writes.
///
/// # Errors
/// If `/proc`, the record or the file's folder can't be used.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let root = args.machine.root();
    let facts = host::observe(&root)?;
    let run = args.run.as_ref().map(|path| {
        let folder = path.parent().filter(|_| path.is_file()).unwrap_or(path);
        schedule::load_record(folder)
    });
    let run = run.transpose()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let journal = host::Options::new(&root).journal;
    let health = Health {
        now_ms: u64::try_from(now.as_millis()).unwrap_or(u64::MAX),
        last_run: run.as_ref(),
        disks: args.disk.clone(),
        tuned: host::is_tuned(&root, &journal).unwrap_or(false),
    };
    let text = metrics::metrics(&root, &facts, &health);
    match &args.out {
        None => print(&text)?,
        Some(path) => metrics::write(path, &text)
            .with_context(|| format!("can't write {}", path.display()))?,
    }
    Ok(Exit::Done)
}
