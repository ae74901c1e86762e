//! What holds for every history.

use super::world::{World, brute_force, graph, with_changes};
use crate::BisectStep;
use proptest::prelude::*;
use std::collections::BTreeSet;

fn halvings(commits: usize) -> usize {
    commits.next_power_of_two().trailing_zeros() as usize
}

fn ends_differ(world: &World) -> bool {
    (world.level(world.bad()) - world.level(world.good)).abs() > 0.2
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn on_a_line_one_change_takes_the_ends_and_the_halvings(
        count in 1_usize..200,
        guilty in any::<u16>(),
    ) {
        let mut world = World::line(count);
        let guilty = 1 + usize::from(guilty) % count;
        world.adds[guilty] = 3.0;
        let found = world.search(None);
        prop_assert_eq!(found.exact(), BTreeSet::from([guilty]));
        prop_assert!(found.asked.len() <= halvings(count) + 2, "{} of {count}", found.asked.len());
    }

    #[test]
    fn one_change_is_found_in_any_history(world in graph(), guilty in any::<u16>()) {
        let world = with_changes(world, &[guilty], None);
        prop_assume!(ends_differ(&world));
        let found = world.search(None);
        prop_assert_eq!(found.findings().changes.len(), 1);
        if world.candidates().iter().all(|&at| world.has_base(at)) {
            prop_assert_eq!(found.exact(), world.guilty());
        }
        prop_assert!(found.candidates().is_superset(&world.guilty()), "{:?}", found);
        let change = &found.findings().changes[0];
        prop_assert!((change.after - change.before - world.adds[*world.guilty().first().unwrap()]).abs() < 1e-6);
    }

    #[test]
    fn of_skipped_commits_of_a_line_no_more_are_suspected_than_must_be(
        count in 2_usize..60,
        guilty in any::<u16>(),
        broken in proptest::collection::btree_set(1_usize..60, 0..12),
    ) {
        let mut world = World::line(count);
        world.adds[1 + usize::from(guilty) % count] = 3.0;
        world.broken = broken.into_iter().filter(|at| *at < count).collect();
        let found = world.search(None);
        prop_assert_eq!(found.findings().changes.len(), 1);
        prop_assert_eq!(found.candidates(), brute_force(&world));
        prop_assert_eq!(found.findings().changes[0].is_exact(), brute_force(&world).len() == 1);
    }

    #[test]
    fn skips_in_any_history_hide_no_change_and_accuse_nobody(
        world in graph(),
        guilty in any::<u16>(),
        broken in proptest::collection::vec(any::<u16>(), 0..12),
    ) {
        let mut world = with_changes(world, &[guilty], None);
        let open: Vec<usize> = world.candidates().into_iter().filter(|at| *at != world.bad()).collect();
        prop_assume!(ends_differ(&world) && !open.is_empty());
        world.broken = broken.iter().map(|at| open[usize::from(*at) % open.len()]).collect();
        let found = world.search(None);
        prop_assert!(found.candidates().is_superset(&brute_force(&world)), "{:?}", found);
        prop_assert!(found.exact().is_subset(&world.guilty()), "{:?}", found);
    }

    #[test]
    fn of_several_changes_those_are_found_that_are_there(
        world in graph(),
        guilty in proptest::collection::vec(any::<u16>(), 1..5),
        revert in proptest::option::of(any::<u16>()),
    ) {
        let world = with_changes(world, &guilty, revert);
        let found = world.search(None);
        if !ends_differ(&world) {
            prop_assert_eq!(found.end, BisectStep::SameEnds);
            return Ok(());
        }
        prop_assert!(found.exact().is_subset(&world.guilty()), "{:?} of {:?}", found, world.guilty());
        let sum: f64 = found.findings().changes.iter().map(|one| one.after - one.before).sum();
        let wanted = world.level(world.bad()) - world.level(world.good);
        prop_assert!((sum - wanted).abs() < 1e-6, "{sum} of {wanted}");
    }

    #[test]
    fn without_quiet_stretches_every_change_is_found(
        world in graph(),
        guilty in proptest::collection::vec(any::<u16>(), 1..5),
        revert in proptest::option::of(any::<u16>()),
    ) {
        let world = with_changes(world, &guilty, revert);
        prop_assume!(ends_differ(&world));
        let found = world.search(Some(0));
        prop_assert!(found.exact().is_subset(&world.guilty()), "{:?} of {:?}", found, world.guilty());
        if world.candidates().iter().all(|&at| world.has_base(at)) {
            prop_assert_eq!(found.exact(), world.guilty());
            prop_assert_eq!(&found.findings().quiet, &[]);
        }
    }

    #[test]
    fn a_change_that_lasts_longer_than_a_stretch_is_found_on_a_line(
        count in 8_usize..80,
        at in any::<u16>(),
        stretch in 1_usize..8,
        lasts in 0_usize..6,
    ) {
        let mut world = World::line(count);
        let lasts = stretch + 1 + lasts;
        prop_assume!(count > lasts + 1);
        let first = 1 + usize::from(at) % (count - lasts - 1);
        world.adds[first] = 2.0;
        world.adds[first + lasts] = -2.0;
        world.adds[count] = 5.0;
        let found = world.search(Some(stretch));
        prop_assert_eq!(found.exact(), world.guilty());
        prop_assert!(found.findings().quiet.iter().all(|one| one.commits <= stretch));
    }
}
