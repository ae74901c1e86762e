mod kills;

use super::*;
use crate::{
    observe,
    testing::{FIXTURES, TestMachine},
};
use shakedown_protocol::KnobState;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

fn options(machine: &TestMachine) -> TuneOptions {
    TuneOptions { journal: machine.journal.clone(), ..TuneOptions::new(&machine.root) }
}

fn tuned(machine: &TestMachine) -> TuneReport {
    tune(&machine.root, &options(machine)).unwrap()
}

fn restored(machine: &TestMachine) -> TuneReport {
    restore(&machine.root, &options(machine)).unwrap()
}

fn state(machine: &TestMachine, knob: &str) -> KnobState {
    let facts = observe(&machine.root).unwrap();
    facts.knobs.into_iter().find(|found| found.name == knob).unwrap().state
}

/// Files that are not as they were, and what they say now.
fn difference(
    before: &BTreeMap<PathBuf, String>,
    machine: &TestMachine,
) -> Vec<(PathBuf, Option<String>)> {
    let mut after = machine.files();
    let mut found: Vec<_> = before
        .iter()
        .map(|(path, text)| (path.clone(), text, after.remove(path)))
        .filter(|(_, text, now)| now.as_ref() != Some(text))
        .map(|(path, _, now)| (path, now))
        .collect();
    found.extend(after.into_iter().map(|(path, text)| (path, Some(text))));
    found
}

/// Does something, and is killed after so many steps. Returns whether it was.
fn cut_short(machine: &TestMachine, steps: i64, action: Action) -> bool {
    machine.crash_point.after(steps);
    let _ = action(&machine.root, &options(machine));
    let dead = machine.crash_point.is_reached();
    machine.crash_point.disarm();
    dead
}

type Action = fn(&HostRoot, &TuneOptions) -> Result<TuneReport, TuneError>;

#[test]
fn tuning_sets_what_differs_and_restoring_gives_it_back() {
    for (name, _) in FIXTURES {
        let machine = TestMachine::new(name);
        let before = machine.files();
        let report = tuned(&machine);
        assert!(!report.changes.is_empty(), "{name}");
        assert!(machine.files() != before, "{name}");
        let report = restored(&machine);
        assert!(report.is_complete(), "{name}: {report:?}");
        assert!(machine.files() == before, "{name}: {:?}", difference(&before, &machine));
        assert!(!machine.journal.join("tune.jsonl").exists(), "{name}");
        assert!(restored(&machine).notes[0].starts_with("nothing to restore"), "{name}");
    }
}

#[test]
fn a_second_tune_changes_nothing() {
    for (name, _) in FIXTURES {
        let machine = TestMachine::new(name);
        tuned(&machine);
        let before = (machine.files(), fs::read(machine.journal.join("tune.jsonl")).unwrap());
        let report = tuned(&machine);
        let refused = |o: &ChangeOutcome| {
            matches!(o, ChangeOutcome::Refused { .. } | ChangeOutcome::Stays { .. })
        };
        assert!(report.changes.iter().all(|c| refused(&c.outcome)), "{name}: {report:?}");
        let after = (machine.files(), fs::read(machine.journal.join("tune.jsonl")).unwrap());
        assert_eq!(after, before, "{name}");
    }
}

#[test]
fn a_dry_run_tells_the_same_and_does_nothing() {
    let machine = TestMachine::new("arm");
    let before = machine.files();
    let dry = TuneOptions { dry_run: true, ..options(&machine) };
    let told = tune(&machine.root, &dry).unwrap();
    assert_eq!(difference(&before, &machine), []);
    assert!(!machine.journal.exists());
    let settings = |report: &TuneReport| {
        let settings = report.changes.iter().map(|change| change.setting.clone());
        settings.collect::<BTreeSet<_>>()
    };
    assert_eq!(settings(&told), settings(&tuned(&machine)));
    let tuned = machine.files();
    let told = restore(&machine.root, &dry).unwrap();
    assert!(told.changes.iter().all(|change| change.outcome == ChangeOutcome::WouldSet));
    assert_eq!(difference(&tuned, &machine), []);
}

#[test]
fn others_changes_are_overwritten_when_asked() {
    let machine = TestMachine::new("vm");
    let before = machine.files();
    tuned(&machine);
    machine.put("proc/sys/vm/stat_interval", "3");
    let forced = TuneOptions { force: true, ..options(&machine) };
    assert!(!tuned(&machine).is_complete());
    assert!(!tune(&machine.root, &forced).unwrap().changes.is_empty());
    assert_eq!(machine.root.read("proc/sys/vm/stat_interval").as_deref(), Some("10"));
    machine.put("proc/sys/vm/stat_interval", "3");
    assert!(restore(&machine.root, &forced).unwrap().is_complete());
    assert_eq!(difference(&before, &machine), []);
}

#[test]
fn a_reboot_undoes_by_itself() {
    let machine = TestMachine::new("intel");
    tuned(&machine);
    let rebooted = TestMachine::new("intel");
    rebooted.put("proc/sys/kernel/random/boot_id", "another");
    rebooted.put("proc/sys/vm/stat_interval", "7");
    let before = rebooted.files();
    let options = options(&machine);
    let report = restore(&rebooted.root, &options).unwrap();
    assert!(report.notes[0].contains("booted since"), "{report:?}");
    assert_eq!(report.changes, [], "nothing is done");
    assert_eq!(report.notes.len(), 2, "{report:?}");
    assert!(report.notes[1].contains("stat_interval says 7 since the boot"), "{report:?}");
    assert_eq!(difference(&before, &rebooted), []);
    // And tuning after a boot takes what the boot left for the originals.
    tuned(&machine);
    tune(&rebooted.root, &options).unwrap();
    assert!(restore(&rebooted.root, &options).unwrap().is_complete());
    assert_eq!(difference(&before, &rebooted), []);
}

#[test]
fn what_refuses_is_named_and_the_rest_is_set() {
    let machine = TestMachine::new("hybrid");
    // At the usual setting, where `check` looks.
    let usual = TuneOptions::new(&machine.root);
    let report = tune(&machine.root, &usual).unwrap();
    assert!(!report.is_complete());
    let refused =
        report.changes.iter().filter(|c| matches!(c.outcome, ChangeOutcome::Refused { .. }));
    assert_eq!(refused.count(), 2);
    let facts = observe(&machine.root).unwrap();
    let most = facts.knobs.iter().find(|knob| knob.name == "max-frequency").unwrap();
    assert_eq!(most.state, KnobState::Differs);
    assert!(most.fix.contains("BIOS") && most.fix.contains("refused"), "{}", most.fix);
    for knob in
        ["smt", "governor", "turbo", "epp", "min-frequency", "isolated-cpus", "irq-affinity"]
    {
        assert_eq!(state(&machine, knob), KnobState::Ok, "{knob}");
    }
    // Interrupts that the kernel keeps where they are don't make a host unfit.
    let machine = TestMachine::new("intel");
    tune(&machine.root, &TuneOptions::new(&machine.root)).unwrap();
    let facts = observe(&machine.root).unwrap();
    let interrupts = facts.knobs.iter().find(|knob| knob.name == "irq-affinity").unwrap();
    assert_eq!(interrupts.state, KnobState::Ok, "{interrupts:?}");
    assert!(interrupts.found.as_deref().unwrap().contains("4 refuse"), "{interrupts:?}");
}

#[test]
fn whole_cores_of_one_node_are_for_benchmarks_and_fast_ones() {
    for (name, expected) in [
        ("intel", "2-3"),
        ("amd", "8-9"),
        ("arm", "4-7"),
        ("hybrid", "2"),
        ("vm", "2"),
        ("v1", "1"),
    ] {
        let machine = TestMachine::new(name);
        let chosen = Assignment::choose(&machine.root);
        assert!(chosen.housekeeping.contains(0), "{name}");
        tuned(&machine);
        assert_eq!(Assignment::of(&machine.root).benchmark.to_string(), expected, "{name}");
    }
}

#[test]
fn cpus_can_be_chosen_but_not_changed_under_way() {
    let machine = TestMachine::new("arm");
    let with =
        |list: &str| TuneOptions { benchmark: Some(list.parse().unwrap()), ..options(&machine) };
    for wrong in ["0-7", "6-9"] {
        let error = tune(&machine.root, &with(wrong)).unwrap_err().to_string();
        assert!(error.contains("can't be for benchmarks alone"), "{error}");
    }
    let report = tune(&machine.root, &with("6-7")).unwrap();
    assert_eq!(report.benchmark, "6-7");
    let error = tune(&machine.root, &with("5")).unwrap_err().to_string();
    assert!(error.contains("call `shakedown host restore`"), "{error}");
}

#[test]
fn a_knob_can_be_left_alone() {
    let machine = TestMachine::new("intel");
    let skip = vec!["smt".to_owned(), "isolated-cpus".to_owned()];
    let report = tune(&machine.root, &TuneOptions { skip, ..options(&machine) }).unwrap();
    assert!(report.changes.iter().all(|change| change.knob != "smt"));
    assert_eq!(report.benchmark, "2-3,6-7", "whole cores");
    assert_eq!(state(&machine, "smt"), KnobState::Differs);
}

#[test]
fn a_watchdog_that_was_read_while_it_slept_is_woken_again() {
    let machine = TestMachine::new("intel");
    machine.put("proc/sys/kernel/watchdog", "1");
    machine.put("proc/sys/kernel/soft_watchdog", "1");
    let before = machine.files();
    tuned(&machine);
    // As `sysctl -a` leaves it on a tuned host.
    machine.put("proc/sys/kernel/watchdog", "0");
    assert!(restored(&machine).is_complete());
    assert!(machine.files() == before, "{:?}", difference(&before, &machine));
}
