//! The commits between a good and a bad one.

use fixedbitset::FixedBitSet;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A commit and its parents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitNode {
    /// Id.
    pub id: String,
    /// Ids of its parents, the first one first.
    pub parents: Vec<String>,
}

/// Why commits can't be searched.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommitGraphError {
    /// The bad commit is none of them.
    #[error("there is no commit between {good} and {bad}")]
    Empty {
        /// The good commit.
        good: String,
        /// The bad commit.
        bad: String,
    },
    /// No line of parents leads from the bad commit to the good one.
    #[error("{good} is not an ancestor of {bad}")]
    Unrelated {
        /// The good commit.
        good: String,
        /// The bad commit.
        bad: String,
    },
    /// A commit is its own ancestor.
    #[error("commit {0} is its own ancestor")]
    Circle(String),
}

/// The candidates, which are ancestors of the bad commit but not of the good one, and the parents
/// that they have outside, the good commit among them.
#[derive(Debug, Clone)]
pub struct CommitGraph {
    ids: Vec<String>,
    places: BTreeMap<String, usize>,
    parents: Vec<Vec<usize>>,
    /// Each commit's ancestors, itself included.
    ancestors: Vec<FixedBitSet>,
    candidates: usize,
    good: usize,
    bad: usize,
}

impl CommitGraph {
    /// From the candidates, in any order.
    ///
    /// # Errors
    /// [`CommitGraphError`].
    pub fn new(candidates: &[CommitNode], good: &str, bad: &str) -> Result<Self, CommitGraphError> {
        let order = topological(candidates)?;
        let mut ids: Vec<String> = order.iter().map(|&at| candidates[at].id.clone()).collect();
        let mut places: BTreeMap<String, usize> =
            ids.iter().cloned().enumerate().map(|(place, id)| (id, place)).collect();
        let mut parents = Vec::new();
        for &at in &order {
            let mut found = Vec::new();
            for parent in &candidates[at].parents {
                let place = *places.entry(parent.clone()).or_insert_with(|| {
                    ids.push(parent.clone());
                    ids.len() - 1
                });
                found.push(place);
            }
            parents.push(found);
        }
        let ends = || (good.to_owned(), bad.to_owned());
        let inside = |place: &usize| *place < order.len();
        let Some(bad_place) = places.get(bad).copied().filter(inside) else {
            let (good, bad) = ends();
            return Err(CommitGraphError::Empty { good, bad });
        };
        let ancestors = ancestors(&parents, ids.len());
        let good_place = places.get(good).copied();
        let Some(good_place) = good_place.filter(|&place| ancestors[bad_place].contains(place))
        else {
            let (good, bad) = ends();
            return Err(CommitGraphError::Unrelated { good, bad });
        };
        let candidates = order.len();
        Ok(Self { ids, places, parents, ancestors, candidates, good: good_place, bad: bad_place })
    }

    /// Number of candidates.
    pub const fn len(&self) -> usize {
        self.candidates
    }

    /// Whether there are none, which [`CommitGraph::new`] refuses.
    pub const fn is_empty(&self) -> bool {
        self.candidates == 0
    }

    pub(crate) const fn good(&self) -> usize {
        self.good
    }

    pub(crate) const fn bad(&self) -> usize {
        self.bad
    }

    pub(crate) fn id(&self, place: usize) -> String {
        self.ids[place].clone()
    }

    pub(crate) fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// Number of commits, the parents outside included.
    pub(crate) const fn all(&self) -> usize {
        self.ids.len()
    }

    pub(crate) const fn is_candidate(&self, place: usize) -> bool {
        place < self.candidates
    }

    pub(crate) fn parents(&self, place: usize) -> &[usize] {
        self.parents.get(place).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn ancestors(&self, place: usize) -> &FixedBitSet {
        &self.ancestors[place]
    }

    /// The commit outside that the commit's number builds on: the good one for its descendants; for
    /// a branch that left the past of the good one earlier, the commit that it left. `None` if there
    /// are several of those.
    pub(crate) fn base(&self, place: usize) -> Option<usize> {
        if self.ancestors[place].contains(self.good) {
            return Some(self.good);
        }
        let mut outside = self.ancestors[place].ones().filter(|&one| !self.is_candidate(one));
        outside.next().filter(|_| outside.next().is_none())
    }
}

/// Places of the commits, parents before children, otherwise in the order given.
fn topological(commits: &[CommitNode]) -> Result<Vec<usize>, CommitGraphError> {
    let known: BTreeMap<&str, usize> =
        commits.iter().enumerate().map(|(at, commit)| (commit.id.as_str(), at)).collect();
    let mut children = vec![Vec::new(); commits.len()];
    let mut waits = vec![0_usize; commits.len()];
    for (at, commit) in commits.iter().enumerate() {
        for parent in commit.parents.iter().filter_map(|id| known.get(id.as_str())) {
            children[*parent].push(at);
            waits[at] += 1;
        }
    }
    let mut ready: Vec<usize> = (0..commits.len()).rev().filter(|&at| waits[at] == 0).collect();
    let mut order = Vec::with_capacity(commits.len());
    while let Some(at) = ready.pop() {
        order.push(at);
        for &child in children[at].iter().rev() {
            waits[child] -= 1;
            if waits[child] == 0 {
                ready.push(child);
            }
        }
    }
    match waits.iter().position(|&waits| waits > 0) {
        Some(at) => Err(CommitGraphError::Circle(commits[at].id.clone())),
        None => Ok(order),
    }
}

/// The ancestors of each of `all` commits; those behind the end of `parents` have none but themselves.
fn ancestors(parents: &[Vec<usize>], all: usize) -> Vec<FixedBitSet> {
    let mut found: Vec<FixedBitSet> = Vec::with_capacity(all);
    let itself = |place: usize| {
        let mut set = FixedBitSet::with_capacity(all);
        set.insert(place);
        set
    };
    for (place, parents) in parents.iter().enumerate() {
        let mut set = itself(place);
        for &parent in parents {
            match found.get(parent) {
                Some(theirs) => set.union_with(theirs),
                None => set.insert(parent),
            }
        }
        found.push(set);
    }
    found.extend((parents.len()..all).map(itself));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> CommitNode {
        let (id, parents) = text.split_once('<').unwrap_or((text, ""));
        let parents = parents.split_whitespace().map(str::to_owned).collect();
        CommitNode { id: id.to_owned(), parents }
    }

    fn graph(text: &str) -> Result<CommitGraph, CommitGraphError> {
        let nodes: Vec<CommitNode> = text.split(", ").map(node).collect();
        CommitGraph::new(&nodes, "g", "z")
    }

    #[test]
    fn parents_come_first_and_what_is_outside_has_no_past() {
        let graph = graph("z<m, m<a b, b<old, a<g").unwrap();
        assert_eq!(graph.len(), 4);
        let place = |id| graph.place(id).unwrap();
        assert!(place("a") < place("m") && place("m") < place("z"));
        assert_eq!(graph.base(place("z")), Some(place("g")));
        assert_eq!(graph.base(place("b")), Some(place("old")));
        assert_eq!(graph.ancestors(place("z")).count_ones(..), 6);
    }

    #[test]
    fn a_branch_with_two_pasts_has_no_base() {
        let graph = graph("z<y b, b<old older, y<g").unwrap();
        assert_eq!(graph.base(graph.place("b").unwrap()), None);
    }

    #[test]
    fn what_can_not_be_searched_is_told() {
        let wrong = |text: &str| graph(text).unwrap_err();
        assert!(matches!(wrong("a<g"), CommitGraphError::Empty { .. }));
        assert!(matches!(wrong("z<a, a<x"), CommitGraphError::Unrelated { .. }));
        assert!(matches!(wrong("z<a g, a<z"), CommitGraphError::Circle(_)));
    }
}
