//! `tune` and `restore` killed at any step, and changes of others in between.

use super::*;
use proptest::prelude::*;

/// The heart of it: killed after any single step, torn lines of the journal included.
#[test]
fn restoring_gives_the_originals_from_every_point_of_a_kill() {
    for (name, _) in FIXTURES {
        let machine = TestMachine::new(name);
        let before = machine.files();
        let mut steps = 0;
        while cut_short(&machine, steps, tune) {
            let report = restored(&machine);
            assert!(report.is_complete(), "{name} killed at {steps}: {report:?}");
            let difference = difference(&before, &machine);
            assert!(difference.is_empty(), "{name} killed at {steps}: {difference:?}");
            steps += 1;
        }
        assert!(steps > 30, "{name}: {steps} steps");
        restored(&machine);
    }
}

#[test]
fn a_restore_may_be_killed_too() {
    for name in ["amd", "hybrid", "vm", "v1"] {
        let machine = TestMachine::new(name);
        let before = machine.files();
        let mut steps = 0;
        loop {
            tuned(&machine);
            let dead = cut_short(&machine, steps, restore);
            if !dead {
                break;
            }
            assert!(restored(&machine).is_complete(), "{name} killed at {steps}");
            assert_eq!(difference(&before, &machine), [], "{name} killed at {steps}");
            steps += 1;
        }
        assert_eq!(difference(&before, &machine), [], "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    /// Kills in a row, of tune and restore in any order, on any machine.
    #[test]
    fn the_originals_survive_any_row_of_kills(
        fixture in 0..FIXTURES.len(),
        kills in prop::collection::vec((any::<bool>(), 0_i64..400), 1..5),
    ) {
        let machine = TestMachine::new(FIXTURES[fixture].0);
        let before = machine.files();
        for (tuning, steps) in &kills {
            cut_short(&machine, *steps, if *tuning { tune } else { restore });
        }
        let report = restored(&machine);
        prop_assert!(report.is_complete(), "{:?}", report);
        prop_assert_eq!(difference(&before, &machine), vec![]);
    }

    /// What somebody changes while the machine is tuned is theirs.
    #[test]
    fn what_others_changed_is_told_and_left(chosen in prop::collection::btree_set(0_usize..6, 1..6)) {
        const THEIRS: [(&str, &str); 6] = [
            ("proc/sys/vm/stat_interval", "5"),
            ("proc/sys/kernel/soft_watchdog", "2"),
            ("sys/devices/system/cpu/cpufreq/policy3/scaling_governor", "ondemand"),
            ("proc/irq/40/smp_affinity_list", "1-2"),
            ("sys/devices/virtual/workqueue/cpumask", "3"),
            ("systemd/snapd.service", "active"),
        ];
        let machine = TestMachine::new("arm");
        let mut expected = machine.files();
        tuned(&machine);
        let mut told = 0;
        for (path, text) in chosen.iter().map(|index| THEIRS[*index]) {
            machine.put(path, text);
            let was = expected.insert(machine.root.path(path), format!("{text}\n")).unwrap();
            told += usize::from(was != format!("{text}\n"));
        }
        let again = tuned(&machine);
        for (path, text) in chosen.iter().map(|index| THEIRS[*index]) {
            // The unit was active before: whoever started it put the original back.
            let theirs = !path.starts_with("systemd");
            prop_assert!(!theirs || machine.root.read(path).as_deref() == Some(text), "{:?}", again);
        }
        let report = restored(&machine);
        let left = report.changes.iter().filter(|c| matches!(c.outcome, ChangeOutcome::Changed { .. }));
        prop_assert_eq!(left.count(), told);
        prop_assert_eq!(difference(&expected, &machine), vec![]);
    }
}
