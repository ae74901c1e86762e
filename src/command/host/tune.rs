//! `shakedown host tune` and `shakedown host restore`.

use crate::{
    exit::Exit,
    output::{print, print_json},
};
use anyhow::Result;
use clap::ValueHint;
use shakedown_host::{Change, Cpus, Deeds, Options, Outcome};
use std::{fmt::Write, path::PathBuf, time::Duration};

/// Sets every knob that differs, in the right order, and reads all of them again at the end.
///
/// What each knob was before is written to a journal first, so that `shakedown host restore`
/// gives the originals back after a kill at any moment. A second call changes nothing. Nothing
/// of it survives a reboot. Exits with 4 when some knob could not be set.
#[derive(Debug, clap::Args)]
pub(super) struct TuneArgs {
    #[command(flatten)]
    common: Common,
    /// CPUs for benchmarks, for example 4-7 [default: the upper half of the cores]
    #[arg(long, value_name = "LIST")]
    cpus: Option<Cpus>,
    /// A knob to leave alone; may be repeated
    #[arg(long, value_name = "KNOB")]
    skip: Vec<String>,
}

/// Gives every knob its original back, from the journal that `shakedown host tune` wrote.
///
/// A knob that somebody else changed since is told and left alone. Exits with 4 when something
/// is not as it was.
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
    /// Say what would be changed, and change nothing
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// Overwrite what somebody else changed since
    #[arg(long)]
    force: bool,
    /// Wait so many milliseconds before each change
    #[arg(long, value_name = "MS", default_value_t = 0, hide_default_value = true)]
    pause: u64,
    /// As JSON: {changes: [{knob, place, from, to, outcome}], benchmark, notes}
    #[arg(long)]
    json: bool,
}

impl Common {
    fn options(&self) -> Options {
        let mut options = Options::new(&self.machine.root());
        if let Some(journal) = &self.journal {
            options.journal.clone_from(journal);
        }
        options.dry_run = self.dry_run;
        options.force = self.force;
        options.pause = Duration::from_millis(self.pause);
        options
    }

    fn show(&self, deeds: &Deeds, nothing: &str) -> Result<Exit> {
        if self.json {
            print_json(deeds)?;
        } else {
            print(&text(deeds, nothing))?;
        }
        Ok(if self.dry_run || deeds.is_complete() { Exit::Done } else { Exit::Host })
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
    let deeds = shakedown_host::tune(&args.common.machine.root(), &options)?;
    args.common.show(&deeds, "nothing to change: every knob that can be set is as wanted")
}

/// Puts the machine back.
///
/// # Errors
/// Those of [`shakedown_host::restore`].
pub(super) fn restore(args: &RestoreArgs) -> Result<Exit> {
    let deeds = shakedown_host::restore(&args.common.machine.root(), &args.common.options())?;
    args.common.show(&deeds, "nothing to change: every knob is as it was")
}

fn text(deeds: &Deeds, nothing: &str) -> String {
    let mut text = String::new();
    for change in &deeds.changes {
        let _ = writeln!(text, "{}", line(change));
    }
    for note in &deeds.notes {
        let _ = writeln!(text, "note: {note}");
    }
    if deeds.changes.is_empty() {
        let _ = writeln!(text, "{nothing}");
    }
    if !deeds.benchmark.is_empty() {
        let _ = writeln!(text, "benchmark CPUs: {}", deeds.benchmark);
    }
    text
}

fn line(change: &Change) -> String {
    let Change { knob, place, from, to, outcome } = change;
    // Files are shown as files; what kind of text they hold matters to the journal only.
    let place =
        place.split_once(":/").map_or_else(|| place.clone(), |(_, path)| format!("/{path}"));
    let shown = |text: &str| if text.is_empty() { "nothing".to_owned() } else { text.to_owned() };
    let moved = format!("{knob}: {place}: {} -> {to}", shown(from));
    match outcome {
        Outcome::Set => moved,
        Outcome::WouldSet => format!("{moved} (would be set)"),
        Outcome::Refused { error } => format!("{moved} refused: {error}"),
        Outcome::Stays { error } => format!("{knob}: {place} stays at {from}: {error}"),
        Outcome::Became { now } => format!("{moved}, but it says {now}"),
        Outcome::Changed { now } => format!(
            "{knob}: {place} says {now}, which is not our doing: left alone (to get {to}, use --force)"
        ),
        Outcome::Gone => format!("{knob}: {place} is gone"),
    }
}
