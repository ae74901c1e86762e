//! Histories that people know.

use super::world::World;
use crate::{
    BisectStep, CommitGraph, CommitNode, Observations, RevisionObservation, SearchRule, next_step,
    steps_left,
};
use std::collections::BTreeSet;

#[test]
fn sixty_four_commits_take_eight_measurements() {
    for guilty in 1..=64 {
        let mut world = World::line(64);
        world.adds[guilty] = -1.0;
        let found = world.search(None);
        assert_eq!(found.exact(), BTreeSet::from([guilty]));
        assert!(found.asked.len() <= 8, "{}", found.asked.len());
    }
}

#[test]
fn a_merge_of_two_changes_is_not_blamed() {
    // 1 and 2 are branches of the good commit, 3 merges them.
    let parents = vec![vec![], vec![0], vec![0], vec![1, 2], vec![3]];
    let adds = vec![0.0, 3.0, 2.0, 0.0, 0.0];
    let world = World { parents, adds, broken: BTreeSet::new(), good: 0 };
    assert_eq!(world.search(None).exact(), BTreeSet::from([1, 2]));
}

#[test]
fn a_merge_that_changes_something_itself_is_blamed() {
    let parents = vec![vec![], vec![0], vec![0], vec![1, 2], vec![3]];
    let adds = vec![0.0, 3.0, 0.0, 2.0, 0.0];
    let world = World { parents, adds, broken: BTreeSet::new(), good: 0 };
    assert_eq!(world.search(None).exact(), BTreeSet::from([1, 3]));
}

#[test]
fn a_branch_that_is_older_than_the_good_commit_is_not_blamed_for_being_older() {
    // Commit 1 made it slower before the good one (2); 3 and 4 are a branch that left before.
    let parents = vec![vec![], vec![0], vec![1], vec![0], vec![3], vec![2, 4], vec![5]];
    let adds = vec![0.0, 7.0, 0.0, 0.0, 2.0, 0.0, 0.0];
    let world = World { parents, adds, broken: BTreeSet::new(), good: 2 };
    assert_eq!(world.search(Some(0)).exact(), BTreeSet::from([4]));
}

#[test]
fn a_change_that_came_back_is_found_three_times_where_it_shows() {
    let mut world = World::line(40);
    (world.adds[5], world.adds[21], world.adds[33]) = (3.0, -3.0, 3.0);
    assert_eq!(world.search(Some(10)).exact(), BTreeSet::from([5, 21, 33]));
    // Measured commits show one of them at least.
    assert!(world.search(None).exact().is_subset(&BTreeSet::from([5, 21, 33])));
}

#[test]
fn after_skips_the_search_keeps_away_from_them() {
    let mut world = World::line(64);
    world.broken = (20..52).collect();
    world.adds[60] = 3.0;
    let found = world.search(None);
    assert_eq!(found.exact(), BTreeSet::from([60]));
    let skipped = found.asked.iter().filter(|at| world.broken.contains(at)).count();
    assert!(skipped <= 5, "{:?}", found.asked);
}

fn four() -> CommitGraph {
    let node = |at: usize| CommitNode { id: at.to_string(), parents: vec![(at - 1).to_string()] };
    CommitGraph::new(&[node(1), node(2), node(3), node(4)], "0", "4").unwrap()
}

#[test]
fn a_number_between_same_and_changed_decides_nothing() {
    let rule = SearchRule { least: 1.0, stretch: None };
    let level = |value: f64, width: f64| RevisionObservation::Level {
        value,
        low: value - width,
        high: value + width,
    };
    let mut seen =
        Observations::from([("0".to_owned(), level(0.0, 0.0)), ("4".to_owned(), level(3.0, 0.5))]);
    assert_eq!(steps_left(&four(), &seen, &rule), 2);
    assert_eq!(next_step(&four(), &seen, &rule), BisectStep::Measure("2".to_owned()));
    seen.insert("2".to_owned(), level(1.2, 0.5));
    assert_eq!(next_step(&four(), &seen, &rule), BisectStep::Measure("1".to_owned()));
    seen.insert("1".to_owned(), level(0.3, 0.5));
    assert_eq!(next_step(&four(), &seen, &rule), BisectStep::Measure("3".to_owned()));
    seen.insert("3".to_owned(), level(3.1, 0.5));
    let BisectStep::Done(found) = next_step(&four(), &seen, &rule) else { panic!() };
    assert_eq!(found.changes[0].candidates, ["2", "3"]);
    seen.insert("4".to_owned(), level(1.2, 0.5));
    assert_eq!(next_step(&four(), &seen, &rule), BisectStep::Unmeasurable("4".to_owned()));
}

#[test]
fn ends_that_do_not_differ_are_told_at_once() {
    let rule = SearchRule { least: 1.0, stretch: None };
    let mut seen = Observations::new();
    assert_eq!(next_step(&four(), &seen, &rule), BisectStep::Measure("0".to_owned()));
    seen.insert("0".to_owned(), RevisionObservation::exactly(5.0));
    assert_eq!(next_step(&four(), &seen, &rule), BisectStep::Measure("4".to_owned()));
    seen.insert("4".to_owned(), RevisionObservation::exactly(5.5));
    assert_eq!(next_step(&four(), &seen, &rule), BisectStep::SameEnds);
    seen.insert("4".to_owned(), RevisionObservation::Skipped);
    assert_eq!(next_step(&four(), &seen, &rule), BisectStep::Unmeasurable("4".to_owned()));
}
