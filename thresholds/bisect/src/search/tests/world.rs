//! Histories whose changes are known.

use crate::{
    BisectFindings, BisectStep, CommitGraph, CommitNode, Observations, RevisionObservation,
    SearchRule, next_step,
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// A history with what each commit adds to the number.
#[derive(Debug, Clone)]
pub struct World {
    /// Places of the parents of each commit, all of them smaller than its own.
    pub parents: Vec<Vec<usize>>,
    pub adds: Vec<f64>,
    pub broken: BTreeSet<usize>,
    pub good: usize,
}

/// What came of a search.
#[derive(Debug)]
pub struct Searched {
    pub end: BisectStep,
    /// Commits that were measured or tried.
    pub asked: Vec<usize>,
}

impl World {
    /// A straight line of `count` commits behind the good one.
    pub fn line(count: usize) -> Self {
        let parents = (0..=count).map(|at| if at == 0 { vec![] } else { vec![at - 1] }).collect();
        Self { parents, adds: vec![0.0; count + 1], broken: BTreeSet::new(), good: 0 }
    }

    pub fn bad(&self) -> usize {
        self.parents.len() - 1
    }

    /// The ancestors of a commit, itself included.
    pub fn past(&self, at: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::from([at]);
        let mut open = vec![at];
        while let Some(at) = open.pop() {
            open.extend(self.parents[at].iter().filter(|&&parent| found.insert(parent)));
        }
        found
    }

    pub fn level(&self, at: usize) -> f64 {
        100.0 + self.past(at).iter().map(|&one| self.adds[one]).sum::<f64>()
    }

    /// The commits between the ends.
    pub fn candidates(&self) -> BTreeSet<usize> {
        self.past(self.bad()).difference(&self.past(self.good)).copied().collect()
    }

    /// Whether the commit builds on the good one, or on one other commit outside: only then is it
    /// known what its number should be.
    pub fn has_base(&self, at: usize) -> bool {
        let (past, candidates) = (self.past(at), self.candidates());
        let inside = past.iter().filter(|at| candidates.contains(at));
        let parents: BTreeSet<usize> = inside.flat_map(|&at| self.parents[at].clone()).collect();
        past.contains(&self.good) || parents.difference(&candidates).count() == 1
    }

    /// The candidates that change the number.
    pub fn guilty(&self) -> BTreeSet<usize> {
        self.candidates().into_iter().filter(|&at| self.adds[at] != 0.0).collect()
    }

    pub fn graph(&self) -> CommitGraph {
        let node = |at: usize| CommitNode {
            id: at.to_string(),
            parents: self.parents[at].iter().map(ToString::to_string).collect(),
        };
        let nodes: Vec<CommitNode> = self.candidates().into_iter().map(node).collect();
        CommitGraph::new(&nodes, &self.good.to_string(), &self.bad().to_string()).unwrap()
    }

    pub fn search(&self, stretch: Option<usize>) -> Searched {
        let (graph, rule) = (self.graph(), SearchRule { least: 0.2, stretch });
        let (mut seen, mut asked) = (Observations::new(), Vec::new());
        loop {
            let step = next_step(&graph, &seen, &rule);
            let BisectStep::Measure(id) = step else { return Searched { end: step, asked } };
            let at: usize = id.parse().unwrap();
            let observation = if self.broken.contains(&at) {
                RevisionObservation::Skipped
            } else {
                RevisionObservation::exactly(self.level(at))
            };
            assert_eq!(seen.insert(id, observation), None, "{at} was asked for twice");
            asked.push(at);
        }
    }
}

impl Searched {
    pub fn findings(&self) -> &BisectFindings {
        let BisectStep::Done(findings) = &self.end else { panic!("{:?}", self.end) };
        findings
    }

    /// The commits that were told from all others.
    pub fn exact(&self) -> BTreeSet<usize> {
        let exact = self.findings().changes.iter().filter(|change| change.is_exact());
        exact.map(|change| change.commit.parse().unwrap()).collect()
    }

    /// Every commit that may have made a change.
    pub fn candidates(&self) -> BTreeSet<usize> {
        let all = self.findings().changes.iter().flat_map(|change| &change.candidates);
        all.map(|id| id.parse().unwrap()).collect()
    }
}

/// A history of up to 40 commits, with merges and branches that left it before the good commit.
pub fn graph() -> impl Strategy<Value = World> {
    let parents = proptest::collection::vec((any::<u16>(), any::<u16>(), 0..10_u8), 3..40);
    (parents, any::<u16>()).prop_map(|(choices, good)| {
        let mut parents = vec![vec![]];
        for (first, second, kind) in choices {
            let here = parents.len();
            // Most commits follow the newest one; some begin a branch; some merge.
            let near = |choice: u16| here - 1 - usize::from(choice) % here.min(6);
            let found: BTreeSet<usize> = match kind {
                0..6 => BTreeSet::from([here - 1]),
                6..8 => BTreeSet::from([near(first)]),
                _ => BTreeSet::from([here - 1, near(second)]),
            };
            parents.push(found.into_iter().rev().collect());
        }
        let count = parents.len();
        let mut world = World { parents, adds: vec![0.0; count], broken: BTreeSet::new(), good: 0 };
        let past: Vec<usize> = world.past(count - 1).into_iter().collect();
        world.good = past[usize::from(good) % (past.len() - 1)];
        world
    })
}

/// What several commits add: each another amount, so that only a revert cancels another change.
pub fn with_changes(world: World, guilty: &[u16], revert: Option<u16>) -> World {
    let mut world = world;
    let candidates: Vec<usize> = world.candidates().into_iter().collect();
    for (number, guilty) in guilty.iter().enumerate() {
        let sign = if guilty % 3 == 0 { -1.0 } else { 1.0 };
        let amount = sign * 1.37_f64.powi(number as i32 + 1);
        world.adds[candidates[usize::from(*guilty) % candidates.len()]] = amount;
    }
    // A revert comes after what it reverts.
    if let (Some(revert), Some(first)) = (revert, guilty.first()) {
        let reverted = candidates[usize::from(*first) % candidates.len()];
        let later: Vec<usize> = candidates
            .iter()
            .copied()
            .filter(|&at| at != reverted && world.past(at).contains(&reverted))
            .collect();
        if !later.is_empty() {
            world.adds[later[usize::from(revert) % later.len()]] = -world.adds[reverted];
        }
    }
    world
}

/// The commits that can have made the only change, if all others that run were measured.
pub fn brute_force(world: &World) -> BTreeSet<usize> {
    let candidates = world.candidates();
    let measured: BTreeMap<usize, bool> = candidates
        .iter()
        .filter(|at| !world.broken.contains(at))
        .map(|&at| (at, (world.level(at) - world.level(world.good)).abs() > 0.2))
        .collect();
    let explains = |guilty: &usize| {
        measured.iter().all(|(&at, &changed)| world.past(at).contains(guilty) == changed)
    };
    candidates.iter().copied().filter(explains).collect()
}
