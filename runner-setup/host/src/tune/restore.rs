//! Putting a machine back.

use super::{ChangeOutcome, SettingChange, TuneError, TuneOptions, TuneReport, boot_id, read};
use crate::{
    HostRoot,
    journal::{Journal, JournalEntry, JournalState, OriginalValue, read_folder},
    setting::Setting,
};
use std::{collections::BTreeMap, thread};

/// A CPU must come back before its files can be written: more than one round.
const ROUNDS: u32 = 4;

/// Gives every setting its original.
///
/// Reports a setting that something else has changed since and leaves it alone, unless `force` is set.
///
/// # Errors
/// When the journal can't be read or written; a setting that refuses is no error, and keeps the
/// journal open.
pub fn restore(root: &HostRoot, options: &TuneOptions) -> Result<TuneReport, TuneError> {
    if options.dry_run {
        return rehearse(root, options, &read_folder(&options.journal)?);
    }
    let mut journal = Journal::open(&options.journal)?;
    let mut report = TuneReport::default();
    let Some(header) = journal.log.header.clone() else {
        // A journal that was torn in its first line: nothing had been changed.
        journal.close(root)?;
        report.notes.push("nothing to restore: the machine is not tuned".to_owned());
        return Ok(report);
    };
    report.benchmark = header.benchmark;
    if header.boot != boot_id(root) {
        after_boot(root, &journal.log, &mut report)?;
        journal.outlived(root)?;
        return Ok(report);
    }
    let leave = leave(root, options, &journal.log)?;
    let settings = leave.iter().map(|(original, _)| original.setting.clone()).collect();
    journal.add(root, JournalEntry::Restoring { leave: settings })?;
    let work = work(&journal.log, &leave);
    let done = put_back(root, options, &work)?;
    let failed =
        done.values().any(|change| matches!(change.outcome, ChangeOutcome::Refused { .. }));
    report.changes = in_order(&work, done);
    report.changes.extend(leave.into_iter().map(|(original, now)| left(&original, now)));
    if failed {
        let note = "not everything could be put back: the journal stays, call restore again";
        report.notes.push(note.to_owned());
    } else {
        journal.close(root)?;
    }
    Ok(report)
}

fn left(original: &OriginalValue, now: String) -> SettingChange {
    SettingChange {
        knob: original.knob.clone(),
        setting: original.setting.to_string(),
        from: now.clone(),
        to: original.was.clone(),
        outcome: ChangeOutcome::Changed { now },
    }
}

/// A reboot undoes whatever was set; what is otherwise now was made so by the boot.
fn after_boot(
    root: &HostRoot,
    log: &JournalState,
    report: &mut TuneReport,
) -> Result<(), TuneError> {
    report
        .notes
        .push("the machine was booted since it was tuned: nothing is left to undo".to_owned());
    for original in log.originals.iter().filter(|original| log.ours.contains_key(&original.setting))
    {
        match read(root, &original.setting)? {
            Some(now) if now != original.was => report.notes.push(format!(
                "{}: {} says {now} since the boot; it was {} before it was tuned",
                original.knob, original.setting, original.was
            )),
            _ => {}
        }
    }
    Ok(())
}

/// What somebody else changed, with what it says now. Decided once, before anything is put
/// back: putting one back can move another.
fn leave(
    root: &HostRoot,
    options: &TuneOptions,
    log: &JournalState,
) -> Result<Vec<(OriginalValue, String)>, TuneError> {
    let mut leave = Vec::new();
    for original in &log.originals {
        let Some(now) = read(root, &original.setting)? else { continue };
        let others = match &log.leave {
            Some(settings) => settings.contains(&original.setting) && now != original.was,
            None => !log.is_ours(original, &now),
        };
        if others && !options.force {
            leave.push((original.clone(), now));
        }
    }
    Ok(leave)
}

/// What is to be put back, the last one set first.
fn work<'a>(log: &'a JournalState, leave: &[(OriginalValue, String)]) -> Vec<&'a OriginalValue> {
    let ours =
        |original: &&OriginalValue| leave.iter().all(|(left, _)| left.setting != original.setting);
    log.originals.iter().rev().filter(ours).collect()
}

fn put_back(
    root: &HostRoot,
    options: &TuneOptions,
    work: &[&OriginalValue],
) -> Result<BTreeMap<Setting, SettingChange>, TuneError> {
    let mut changes = BTreeMap::new();
    for _ in 0..ROUNDS {
        let mut open = false;
        for original in work {
            open |= !put_one_back(root, options, original, &mut changes)?;
        }
        if !open {
            break;
        }
    }
    Ok(changes)
}

/// Returns whether it was already as it should be.
fn put_one_back(
    root: &HostRoot,
    options: &TuneOptions,
    original: &OriginalValue,
    changes: &mut BTreeMap<Setting, SettingChange>,
) -> Result<bool, TuneError> {
    let setting = &original.setting;
    let Some(now) = read(root, setting)? else {
        changes.entry(setting.clone()).or_insert_with(|| SettingChange {
            outcome: ChangeOutcome::Gone,
            ..left(original, String::new())
        });
        return Ok(false);
    };
    if now == original.was {
        // It may have come back with its CPU, or moved when another one was put back.
        if let Some(change) = changes.get_mut(setting) {
            if change.outcome == ChangeOutcome::Gone {
                changes.remove(setting);
            } else {
                change.outcome = ChangeOutcome::Set;
            }
        }
        return Ok(true);
    }
    thread::sleep(options.pause);
    let outcome = match setting.write(root, &original.was) {
        Err(error) => ChangeOutcome::Refused { error: error.to_string() },
        Ok(()) => match read(root, setting)? {
            Some(now) if now == original.was => ChangeOutcome::Set,
            Some(now) => ChangeOutcome::Refused { error: format!("it says `{now}` all the same") },
            None => ChangeOutcome::Gone,
        },
    };
    let from = changes.get(setting).map_or(now, |change| change.from.clone());
    changes.insert(setting.clone(), SettingChange { outcome, ..left(original, from) });
    Ok(false)
}

fn in_order(
    work: &[&OriginalValue],
    mut changes: BTreeMap<Setting, SettingChange>,
) -> Vec<SettingChange> {
    work.iter().filter_map(|original| changes.remove(&original.setting)).collect()
}

fn rehearse(
    root: &HostRoot,
    options: &TuneOptions,
    log: &JournalState,
) -> Result<TuneReport, TuneError> {
    let mut report = TuneReport::default();
    let Some(header) = &log.header else {
        report.notes.push("nothing to restore: the machine is not tuned".to_owned());
        return Ok(report);
    };
    report.benchmark.clone_from(&header.benchmark);
    if header.boot != boot_id(root) {
        after_boot(root, log, &mut report)?;
        return Ok(report);
    }
    let leave = leave(root, options, log)?;
    for original in work(log, &leave) {
        match read(root, &original.setting)? {
            Some(now) if now == original.was => {}
            now => report.changes.push(SettingChange {
                outcome: ChangeOutcome::WouldSet,
                ..left(original, now.unwrap_or_default())
            }),
        }
    }
    report.changes.extend(leave.into_iter().map(|(original, now)| left(&original, now)));
    Ok(report)
}
