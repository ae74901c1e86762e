//! What the measured numbers say so far.

use crate::{CommitGraph, Observations, RevisionObservation, observation::Nearness};
use fixedbitset::FixedBitSet;

/// A change that was found.
#[derive(Debug, Clone)]
pub(super) struct FoundChange {
    /// The oldest measured commit with it.
    pub at: usize,
    /// The commits that may have made it.
    pub candidates: FixedBitSet,
    /// The number without it.
    pub before: f64,
    /// What it adds.
    pub effect: f64,
}

/// The numbers and the changes found in them.
pub(super) struct SearchState<'a> {
    pub graph: &'a CommitGraph,
    seen: Vec<Option<RevisionObservation>>,
    least: f64,
    pub changes: Vec<FoundChange>,
    /// Commits whose changes are all found.
    explained: FixedBitSet,
}

impl<'a> SearchState<'a> {
    pub fn new(graph: &'a CommitGraph, seen: &Observations, least: f64) -> Self {
        let mut places = vec![None; graph.all()];
        for (id, observation) in seen {
            if let Some(place) = graph.place(id) {
                places[place] = Some(*observation);
            }
        }
        let explained = FixedBitSet::with_capacity(graph.all());
        Self { graph, seen: places, least, changes: Vec::new(), explained }
    }

    pub fn observation(&self, place: usize) -> Option<RevisionObservation> {
        self.seen[place]
    }

    /// Whether measuring the commit would say something: it was not measured, and what it builds on
    /// has a number or can get one.
    pub fn is_open(&self, place: usize) -> bool {
        let base = self.graph.base(place);
        let sound = base.is_some_and(|base| self.seen[base].is_none_or(|o| o.value().is_some()));
        self.seen[place].is_none() && sound
    }

    /// The commit itself, or what it builds on if that has no number yet.
    pub fn before_it(&self, place: usize) -> usize {
        let base = self.graph.base(place);
        base.filter(|&base| self.seen[base].is_none()).unwrap_or(place)
    }

    /// The numbers that a commit can have without a further change. There are several where it is an
    /// heir of some of those commits only that may have made a change.
    fn expected(&self, place: usize) -> Option<Vec<f64>> {
        let ancestors = self.graph.ancestors(place);
        let base = self.seen[self.graph.base(place)?]?.value()?;
        let mut expected = vec![base];
        for change in &self.changes {
            let certain = ancestors.contains(change.at);
            let possible = !ancestors.is_disjoint(&change.candidates);
            let with: Vec<f64> = expected.iter().map(|number| number + change.effect).collect();
            if certain {
                expected = with;
            } else if possible {
                expected.extend(with);
            }
        }
        Some(expected)
    }

    /// Whether a measured candidate has the number that the found changes give it.
    pub fn nearness(&self, place: usize) -> Option<Nearness> {
        let seen = self.seen[place]?;
        let expected = self.expected(place)?;
        let all: Vec<Nearness> =
            expected.iter().filter_map(|&number| seen.near(number, self.least)).collect();
        let any = |nearness| all.contains(&nearness).then_some(nearness);
        any(Nearness::Same).or_else(|| any(Nearness::Undecided)).or_else(|| any(Nearness::Changed))
    }

    fn with(&self, wanted: Nearness) -> Vec<usize> {
        let candidates = (0..self.graph.len()).filter(|&place| !self.explained.contains(place));
        candidates.filter(|&place| self.nearness(place) == Some(wanted)).collect()
    }

    /// The commit whose number has an unknown change among the fewest commits, and these.
    pub fn smallest_changed(&self) -> Option<(usize, FixedBitSet)> {
        let changed = self.with(Nearness::Changed);
        let region = |place: usize| {
            let mut region = self.graph.ancestors(place).clone();
            region.set_range(self.graph.len().., false);
            region.difference_with(&self.explained);
            region
        };
        let regions = changed.iter().map(|&place| (place, region(place)));
        let (at, mut found) = regions.min_by_key(|(_, region)| region.count_ones(..))?;
        for same in self.with(Nearness::Same) {
            // A commit with the expected number says nothing about changes that cancel in it.
            let past = self.graph.ancestors(same);
            if !changed.iter().any(|&changed| past.contains(changed)) {
                found.difference_with(past);
            }
        }
        Some((at, found))
    }

    /// A parent of the commit that has to be measured before the commit is accused.
    pub fn unknown_parent(&self, at: usize) -> Option<usize> {
        let of = |parent: &&usize| {
            let inside = self.graph.is_candidate(**parent);
            let counts = inside || self.graph.base(at) == Some(**parent);
            counts && self.is_open(**parent)
        };
        self.graph.parents(at).iter().find(of).map(|&parent| self.before_it(parent))
    }

    /// Takes down that one of the region's commits changed the number of `at`.
    pub fn found(&mut self, at: usize, region: &FixedBitSet) {
        let expected = self.expected(at).and_then(|all| all.first().copied());
        let value = self.seen[at].and_then(|seen| seen.value());
        let (before, after) = (expected.unwrap_or_default(), value.unwrap_or_default());
        self.changes.push(FoundChange {
            at,
            candidates: region.clone(),
            before,
            effect: after - before,
        });
        let past = self.graph.ancestors(at);
        self.explained.union_with(past);
    }

    /// The candidates below each measured one, down to the next measured ones, that have no number.
    pub fn quiet(&self) -> Vec<(usize, FixedBitSet)> {
        let level = |place: usize| self.seen[place].is_some_and(|seen| seen.value().is_some());
        let measured: Vec<usize> = (0..self.graph.len()).filter(|&place| level(place)).collect();
        let mut found = Vec::new();
        for &at in &measured {
            let mut below = self.graph.ancestors(at).clone();
            below.set_range(self.graph.len().., false);
            below.set(at, false);
            for &other in measured.iter().filter(|&&other| other != at) {
                if below.contains(other) {
                    let past = self.graph.ancestors(other);
                    below.difference_with(past);
                }
            }
            for change in &self.changes {
                below.difference_with(&change.candidates);
            }
            if !below.is_clear() {
                found.push((at, below));
            }
        }
        found
    }
}
