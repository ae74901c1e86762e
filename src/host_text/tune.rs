//! What `shakedown host tune` and `restore` print.

use shakedown_host::{ChangeOutcome, SettingChange, TuneReport};
use std::fmt::Write;

/// Every change, the notes, and the benchmark CPUs. `nothing` is the text for no change.
pub fn tune(report: &TuneReport, nothing: &str) -> String {
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
