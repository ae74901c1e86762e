//! Putting a machine back.

use super::{Change, Deeds, Options, Outcome, TuneError, boot_id, read};
use crate::{
    HostRoot,
    journal::{Entry, Journal, Log, Original, read_folder},
    place::Place,
};
use std::{collections::BTreeMap, thread};

/// A CPU must come back before its files can be written: more than one round.
const ROUNDS: u32 = 4;

/// Gives every place its original.
///
/// What somebody else changed since is told and left alone, unless `force`.
///
/// # Errors
/// When the journal can't be read or written; a place that refuses is no error, and keeps the
/// journal open.
pub fn restore(root: &HostRoot, options: &Options) -> Result<Deeds, TuneError> {
    if options.dry_run {
        return rehearse(root, options, &read_folder(&options.journal)?);
    }
    let mut journal = Journal::open(&options.journal)?;
    let mut deeds = Deeds::default();
    let Some(header) = journal.log.header.clone() else {
        // A journal that was torn in its first line: nothing had been changed.
        journal.close(root)?;
        deeds.notes.push("nothing to restore: the machine is not tuned".to_owned());
        return Ok(deeds);
    };
    deeds.benchmark = header.benchmark;
    if header.boot != boot_id(root) {
        after_boot(root, &journal.log, &mut deeds)?;
        journal.outlived(root)?;
        return Ok(deeds);
    }
    let leave = leave(root, options, &journal.log)?;
    let places = leave.iter().map(|(original, _)| original.place.clone()).collect();
    journal.add(root, Entry::Restoring { leave: places })?;
    let work = work(&journal.log, &leave);
    let done = put_back(root, options, &work)?;
    let failed = done.values().any(|change| matches!(change.outcome, Outcome::Refused { .. }));
    deeds.changes = in_order(&work, done);
    deeds.changes.extend(leave.into_iter().map(|(original, now)| left(&original, now)));
    if failed {
        let note = "not everything could be put back: the journal stays, call restore again";
        deeds.notes.push(note.to_owned());
    } else {
        journal.close(root)?;
    }
    Ok(deeds)
}

fn left(original: &Original, now: String) -> Change {
    Change {
        knob: original.knob.clone(),
        place: original.place.to_string(),
        from: now.clone(),
        to: original.was.clone(),
        outcome: Outcome::Changed { now },
    }
}

/// A reboot undoes whatever was set; what is otherwise now was made so by the boot.
fn after_boot(root: &HostRoot, log: &Log, deeds: &mut Deeds) -> Result<(), TuneError> {
    deeds
        .notes
        .push("the machine was booted since it was tuned: nothing is left to undo".to_owned());
    for original in log.originals.iter().filter(|original| log.ours.contains_key(&original.place)) {
        match read(root, &original.place)? {
            Some(now) if now != original.was => deeds.notes.push(format!(
                "{}: {} says {now} since the boot; it was {} before it was tuned",
                original.knob, original.place, original.was
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
    options: &Options,
    log: &Log,
) -> Result<Vec<(Original, String)>, TuneError> {
    let mut leave = Vec::new();
    for original in &log.originals {
        let Some(now) = read(root, &original.place)? else { continue };
        let others = match &log.leave {
            Some(places) => places.contains(&original.place) && now != original.was,
            None => !log.is_ours(original, &now),
        };
        if others && !options.force {
            leave.push((original.clone(), now));
        }
    }
    Ok(leave)
}

/// What is to be put back, the last one set first.
fn work<'a>(log: &'a Log, leave: &[(Original, String)]) -> Vec<&'a Original> {
    let ours = |original: &&Original| leave.iter().all(|(left, _)| left.place != original.place);
    log.originals.iter().rev().filter(ours).collect()
}

fn put_back(
    root: &HostRoot,
    options: &Options,
    work: &[&Original],
) -> Result<BTreeMap<Place, Change>, TuneError> {
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
    options: &Options,
    original: &Original,
    changes: &mut BTreeMap<Place, Change>,
) -> Result<bool, TuneError> {
    let place = &original.place;
    let Some(now) = read(root, place)? else {
        changes
            .entry(place.clone())
            .or_insert_with(|| Change { outcome: Outcome::Gone, ..left(original, String::new()) });
        return Ok(false);
    };
    if now == original.was {
        // It may have come back with its CPU, or moved when another one was put back.
        if let Some(change) = changes.get_mut(place) {
            if change.outcome == Outcome::Gone {
                changes.remove(place);
            } else {
                change.outcome = Outcome::Set;
            }
        }
        return Ok(true);
    }
    thread::sleep(options.pause);
    let outcome = match place.write(root, &original.was) {
        Err(error) => Outcome::Refused { error: error.to_string() },
        Ok(()) => match read(root, place)? {
            Some(now) if now == original.was => Outcome::Set,
            Some(now) => Outcome::Refused { error: format!("it says `{now}` all the same") },
            None => Outcome::Gone,
        },
    };
    let from = changes.get(place).map_or(now, |change| change.from.clone());
    changes.insert(place.clone(), Change { outcome, ..left(original, from) });
    Ok(false)
}

fn in_order(work: &[&Original], mut changes: BTreeMap<Place, Change>) -> Vec<Change> {
    work.iter().filter_map(|original| changes.remove(&original.place)).collect()
}

fn rehearse(root: &HostRoot, options: &Options, log: &Log) -> Result<Deeds, TuneError> {
    let mut deeds = Deeds::default();
    let Some(header) = &log.header else {
        deeds.notes.push("nothing to restore: the machine is not tuned".to_owned());
        return Ok(deeds);
    };
    deeds.benchmark.clone_from(&header.benchmark);
    if header.boot != boot_id(root) {
        after_boot(root, log, &mut deeds)?;
        return Ok(deeds);
    }
    let leave = leave(root, options, log)?;
    for original in work(log, &leave) {
        match read(root, &original.place)? {
            Some(now) if now == original.was => {}
            now => deeds.changes.push(Change {
                outcome: Outcome::WouldSet,
                ..left(original, now.unwrap_or_default())
            }),
        }
    }
    deeds.changes.extend(leave.into_iter().map(|(original, now)| left(&original, now)));
    Ok(deeds)
}
