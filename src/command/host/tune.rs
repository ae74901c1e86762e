//! `shakedown host tune` and `shakedown host restore`.

use crate::{
    exit::Exit,
    host_text,
    output::{print, print_json},
};
use anyhow::Result;
use clap::ValueHint;
use shakedown_host::{CpuSet, TuneOptions, TuneReport};
use std::{path::PathBuf, time::Duration};

/// Set every knob that differs, in the right order, then read all of them back.
///
/// Writes each knob's original value to a journal first, so that `shakedown host restore` can
/// restore it even after this command was killed. Running it again changes nothing. A reboot
/// undoes everything. Exits with 4 if a knob could not be set.
#[derive(Debug, clap::Args)]
pub(super) struct TuneArgs {
    #[command(flatten)]
    common: JournalArgs,
    /// CPUs for benchmarks, for example 4-7 [default: the upper half of the cores]
    #[arg(long, value_name = "LIST")]
    cpus: Option<CpuSet>,
    /// Knob to leave alone; may be repeated
    #[arg(long, value_name = "KNOB")]
    skip: Vec<String>,
}

/// Restore every knob to its original value, from the journal of `shakedown host tune`.
///
/// Reports a knob that something else has changed since, and leaves it alone. Exits with 4 if a
/// knob does not have its original value.
#[derive(Debug, clap::Args)]
pub(super) struct RestoreArgs {
    #[command(flatten)]
    common: JournalArgs,
}

#[derive(Debug, clap::Args)]
struct JournalArgs {
    #[command(flatten)]
    machine: super::MachineArgs,
    /// Folder of the journal [default: /var/lib/shakedown/journal]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    journal: Option<PathBuf>,
    /// Show the changes without making them
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Overwrite knobs that something else has changed since
    #[arg(long)]
    force: bool,
    /// Milliseconds to wait before each change
    #[arg(long, value_name = "MS", default_value_t = 0, hide_default_value = true)]
    pause: u64,
    /// Print JSON: {changes: [{knob, setting, from, to, outcome}], benchmark, notes}
    #[arg(long)]
    json: bool,
}

impl JournalArgs {
    fn options(&self) -> TuneOptions {
        let mut options = TuneOptions::new(&self.machine.root());
        if let Some(journal) = &self.journal {
            options.journal.clone_from(journal);
        }
        options.dry_run = self.dry_run;
        options.force = self.force;
        options.pause = Duration::from_millis(self.pause);
        options
    }

    fn show(&self, report: &TuneReport, nothing: &str) -> Result<Exit> {
        if self.json {
            print_json(report)?;
        } else {
            print(&host_text::tune(report, nothing))?;
        }
        Ok(if self.dry_run || report.is_complete() { Exit::Done } else { Exit::Host })
    }
}

/// Makes the machine quiet.
///
/// # Errors
/// Those of [`shakedown_host::tune`].
pub(super) fn tune(args: &TuneArgs) -> Result<Exit> {
    let mut options = args.common.options();
    options.benchmark.clone_from(&args.cpus);
    options.skip.clone_from(&args.skip);
    let report = shakedown_host::tune(&args.common.machine.root(), &options)?;
    args.common.show(&report, "nothing to change: every knob that can be set is as wanted")
}

/// Puts the machine back.
///
/// # Errors
/// Those of [`shakedown_host::restore`].
pub(super) fn restore(args: &RestoreArgs) -> Result<Exit> {
    let report = shakedown_host::restore(&args.common.machine.root(), &args.common.options())?;
    args.common.show(&report, "nothing to change: every knob is as it was")
}
