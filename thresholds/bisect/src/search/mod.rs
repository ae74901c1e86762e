//! What to measure next.

mod choose;
mod state;
#[cfg(test)]
mod tests;

use crate::{CommitGraph, Observations, observation::Nearness};
use choose::{best, work_left};
use fixedbitset::FixedBitSet;
use serde::{Deserialize, Serialize};
use state::SearchState;

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SearchRule {
    /// The smallest change that counts, in the unit of the number.
    pub least: f64,
    /// If set, commits are measured until no stretch of more than this many commits that were not
    /// measured lies between two with the same number. A change that is undone later shows only then.
    pub stretch: Option<usize>,
}

/// The next step.
#[derive(Debug, Clone, PartialEq)]
pub enum BisectStep {
    /// Measure this commit.
    Measure(String),
    /// One of the ends has no number, or one that is too uncertain.
    Unmeasurable(String),
    /// Good and bad have the same number.
    SameEnds,
    /// Everything that the measured numbers show is found.
    Done(BisectFindings),
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct BisectFindings {
    /// The changes, the older ones first.
    pub changes: Vec<LocatedChange>,
    /// Stretches of commits that were not measured, as both of their ends have the same number.
    pub quiet: Vec<QuietStretch>,
}

/// A change of the number and the commit that made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LocatedChange {
    /// The oldest measured commit with the change.
    pub commit: String,
    /// The commits that may have made it: the one above, or also others that could not be measured.
    pub candidates: Vec<String>,
    /// The number that the commit would have without the change.
    pub before: f64,
    /// The number that it has.
    pub after: f64,
}

/// Commits that were not measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuietStretch {
    /// The measured commit that they are ancestors of.
    pub before: String,
    /// Their number.
    pub commits: usize,
}

impl LocatedChange {
    /// Whether the commit is known.
    pub fn is_exact(&self) -> bool {
        self.candidates.len() == 1
    }
}

/// The commit to measure next, or what was found. Depends on its arguments only.
pub fn next_step(graph: &CommitGraph, seen: &Observations, rule: &SearchRule) -> BisectStep {
    let mut state = SearchState::new(graph, seen, rule.least);
    if let Some(step) = ends(&state) {
        return step;
    }
    while let Some((at, region)) = state.smallest_changed() {
        let mut asked = region.clone();
        asked.set(at, false);
        let step =
            if asked.is_clear() { state.unknown_parent(at) } else { best(&state, &region, &asked) };
        match step {
            Some(place) => return BisectStep::Measure(graph.id(place)),
            None => state.found(at, &region),
        }
    }
    let quiet = state.quiet();
    if let Some(stretch) = rule.stretch
        && let Some(place) = inside(&state, &quiet, stretch)
    {
        return BisectStep::Measure(graph.id(place));
    }
    BisectStep::Done(findings(&state, &quiet))
}

/// How many more commits are measured at most for the change that is looked for now, skips and
/// further changes left out. For progress.
pub fn steps_left(graph: &CommitGraph, seen: &Observations, rule: &SearchRule) -> usize {
    let state = SearchState::new(graph, seen, rule.least);
    state.smallest_changed().map_or(0, |(_, region)| work_left(region.count_ones(..)))
}

fn ends(state: &SearchState<'_>) -> Option<BisectStep> {
    let graph = state.graph;
    for end in [graph.good(), graph.bad()] {
        let id = || graph.id(end);
        match state.observation(end) {
            None => return Some(BisectStep::Measure(id())),
            Some(seen) if seen.value().is_none() => return Some(BisectStep::Unmeasurable(id())),
            Some(_) => {}
        }
    }
    match state.nearness(graph.bad()) {
        Some(Nearness::Same) => Some(BisectStep::SameEnds),
        Some(Nearness::Changed) => None,
        _ => Some(BisectStep::Unmeasurable(graph.id(graph.bad()))),
    }
}

/// The best commit of the longest quiet stretch that is too long.
fn inside(
    state: &SearchState<'_>,
    quiet: &[(usize, FixedBitSet)],
    stretch: usize,
) -> Option<usize> {
    let mut long: Vec<_> = quiet.iter().filter(|(_, set)| set.count_ones(..) > stretch).collect();
    long.sort_by_key(|(_, set)| std::cmp::Reverse(set.count_ones(..)));
    long.into_iter().find_map(|(at, set)| {
        let mut region = set.clone();
        region.insert(*at);
        best(state, &region, set)
    })
}

fn findings(state: &SearchState<'_>, quiet: &[(usize, FixedBitSet)]) -> BisectFindings {
    let graph = state.graph;
    let mut changes: Vec<_> = state.changes.iter().collect();
    changes.sort_by_key(|change| change.at);
    let changes = changes.into_iter().map(|change| LocatedChange {
        commit: graph.id(change.at),
        candidates: change.candidates.ones().map(|place| graph.id(place)).collect(),
        before: change.before,
        after: change.before + change.effect,
    });
    let quiet = quiet
        .iter()
        .map(|(at, set)| QuietStretch { before: graph.id(*at), commits: set.count_ones(..) });
    BisectFindings { changes: changes.collect(), quiet: quiet.collect() }
}
