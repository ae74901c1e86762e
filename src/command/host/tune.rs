//! `shakedown host tune` and `shakedown host restore`.

use crate::{
    exit::Exit,
    output::{print, print_json},
};
use anyhow::Result;
use clap::ValueHint;
use shakedown_host::{ChangeOutcome, CpuSet, SettingChange, TuneOptions, TuneReport};
use std::{fmt::Write, path::PathBuf, time::Duration};

/// Set every knob that differs, in the right order, then read all of them back.
///
/// Writes each knob's original value to a journal first, so that `shakedown host restore` can
/// restore it even after this command was killed. Running it again changes nothing. A reboot
/// undoes everything. Exits with 4 if a knob could not be set.
#[derive(Debug, clap::Args)]
pub(super) struct TuneArgs {
    #[command(flatten)]
    common: Common,
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
    common: Common,
}

#[derive(Debug, clap::Args)]
struct Common {
    #[command(flatten)]
    machine: super::Machine,
    /// Folder of the journal [default: /var/lib/shakedown/journal]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    journal: Option<PathBuf>,
    /// Show what would change, and change nothing
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

impl Common {
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
            print(&text(report, nothing))?;
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

fn text(report: &TuneReport, nothing: &str) -> String {
    let mut text = String::new();
    for change in &report.changes {
        let _ = writeln!(text, "{}", line(change));
    }
    for note in &report.notes {
        let _ = writeln!(text, "note: {note}");
    }
    if report.changes.is_empty() {
        let _ = writeln!(text, "{nothing}");
    }
    if !report.benchmark.is_empty() {
        let _ = writeln!(text, "benchmark CPUs: {}", report.benchmark);
    }
    text
}

fn line(change: &SettingChange) -> String {
    let SettingChange { knob, setting, from, to, outcome } = change;
    // Files are shown as files; what kind of text they hold matters to the journal only.
    let setting =
        setting.split_once(":/").map_or_else(|| setting.clone(), |(_, path)| format!("/{path}"));
    let shown = |text: &str| if text.is_empty() { "nothing".to_owned() } else { text.to_owned() };
    let moved = format!("{knob}: {setting}: {} -> {to}", shown(from));
    match outcome {
        ChangeOutcome::Set => moved,
        ChangeOutcome::WouldSet => format!("{moved} (would be set)"),
        ChangeOutcome::Refused { error } => format!("{moved} refused: {error}"),
        ChangeOutcome::Stays { error } => format!("{knob}: {setting} stays at {from}: {error}"),
        ChangeOutcome::Became { now } => format!("{moved}, but it says {now}"),
        ChangeOutcome::Changed { now } => format!(
            "{knob}: {setting} is {now}, changed by something else: left alone (--force sets {to})"
        ),
        ChangeOutcome::Gone => format!("{knob}: {setting} is gone"),
    }
}
