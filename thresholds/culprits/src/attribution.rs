//! From two call graphs to the functions in which the difference arises.
//!
//! Let `n` be how often an operation enters a function, `s` its own instructions per entry, `r` how
//! often one entry calls another function, and `i` the instructions of such a call. An entry costs
//! `s + sum(r i)`, so its change is exactly
//!
//! ```text
//! ds + sum(dr mean(i)) + sum(mean(r) di)
//! ```
//!
//! The last sum arises within the functions that are called. The first two arise here: code of its own
//! that changed, and calls that it makes more or less often. A function that only one build has counts
//! for those that call it, so that code which was inlined, split off, renamed or moved cancels: what its
//! caller no longer spends in one place it spends in the other.

use crate::{
    explanation::{Culprit, EventChange, Explanation},
    graph::{CallGraph, Edge, Node},
    lines::changed_lines,
    matching::matches,
};
use std::collections::{BTreeMap, BTreeSet};

/// A function with less than this share of the change is not named.
const NAMED: f64 = 0.05;
/// At most so many functions are named.
const MOST: usize = 10;
/// At most so many calls and files are named with each.
const MOST_DETAILS: usize = 3;

/// Attributes the difference between base and head to functions.
pub fn explain(base: &CallGraph, head: &CallGraph) -> Explanation {
    let renamed = matches(base, head);
    let base = &base.renamed(&renamed);
    let total = [base, head].map(|graph| graph.total.first().copied().unwrap_or(0.0));
    let change = total[1] - total[0];
    let events = events(base, head);
    let mut explanation = Explanation { total, culprits: Vec::new(), remainder: change, events };
    if explanation.is_unchanged() {
        return explanation;
    }
    let former: BTreeMap<&String, &String> = renamed.iter().map(|(old, new)| (new, old)).collect();
    let mut culprits: Vec<Culprit> = changes(base, head)
        .into_iter()
        .map(|(name, arisen)| Culprit {
            renamed_from: former.get(name).map(|old| (*old).clone()),
            share: arisen.sum() / change,
            ..arisen.culprit(name, base, head)
        })
        .collect();
    culprits.sort_by(|a, b| b.change.abs().total_cmp(&a.change.abs()));
    culprits.retain(|culprit| culprit.share.abs() >= NAMED);
    culprits.truncate(MOST);
    explanation.remainder = change - culprits.iter().map(|c| c.change).sum::<f64>();
    explanation.culprits = culprits;
    explanation
}

/// What arises in one function.
#[derive(Debug, Default)]
struct Arisen<'a> {
    own: f64,
    calls: BTreeMap<&'a String, f64>,
}

impl Arisen<'_> {
    fn sum(&self) -> f64 {
        self.own + self.calls.values().sum::<f64>()
    }

    fn culprit(&self, name: &String, base: &CallGraph, head: &CallGraph) -> Culprit {
        let nodes = [base, head].map(|graph| graph.nodes.get(name));
        let of = |get: fn(&Node) -> f64| nodes.map(|node| node.map_or(0.0, get));
        let calls = self.calls.iter().map(|(callee, change)| ((*callee).clone(), *change));
        Culprit {
            function: name.clone(),
            renamed_from: None,
            change: self.sum(),
            share: 0.0,
            own: of(|node| node.own[0]),
            inclusive: of(|node| node.inclusive),
            entries: of(|node| node.entries),
            calls: largest(calls.chain(serving(nodes)), MOST_DETAILS),
            files: largest(files(nodes), MOST_DETAILS),
            lines: largest(lines(nodes).into_iter(), MOST_DETAILS),
        }
    }
}

fn serving(nodes: [Option<&Node>; 2]) -> impl Iterator<Item = (String, f64)> {
    differences(nodes.map(|node| node.map(|node| &node.serving)))
}

fn files(nodes: [Option<&Node>; 2]) -> impl Iterator<Item = (String, f64)> {
    differences(nodes.map(|node| node.map(|node| &node.by_file)))
}

fn lines(nodes: [Option<&Node>; 2]) -> Vec<(String, f64)> {
    let [Some(base), Some(head)] = nodes else { return Vec::new() };
    changed_lines([&base.by_line, &head.by_line])
}

fn differences(maps: [Option<&BTreeMap<String, f64>>; 2]) -> impl Iterator<Item = (String, f64)> {
    let names: BTreeSet<&String> = maps.iter().flatten().flat_map(|map| map.keys()).collect();
    let value = move |at: usize, name: &String| maps[at].and_then(|m| m.get(name)).copied();
    let change = move |name: &String| value(1, name).unwrap_or(0.0) - value(0, name).unwrap_or(0.0);
    names.into_iter().map(|name| (name.clone(), change(name))).collect::<Vec<_>>().into_iter()
}

/// The largest changes first, without those that are none.
fn largest(changes: impl Iterator<Item = (String, f64)>, most: usize) -> Vec<(String, f64)> {
    let mut changes: Vec<_> = changes.filter(|(_, change)| change.abs() >= 0.5).collect();
    changes.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()));
    changes.truncate(most);
    changes
}

fn present<'a>(graph: &'a CallGraph, name: &String) -> Option<&'a Node> {
    graph.nodes.get(name).filter(|node| node.inclusive > 0.0)
}

/// What arises in each function that both builds have.
fn changes<'a>(base: &'a CallGraph, head: &'a CallGraph) -> BTreeMap<&'a String, Arisen<'a>> {
    let mut all = BTreeMap::new();
    for name in base.nodes.keys() {
        let (Some(old), Some(new)) = (present(base, name), present(head, name)) else { continue };
        // What nothing calls is entered once.
        let entries = [old, new].map(|node| if node.entries > 0.0 { node.entries } else { 1.0 });
        let mean = f64::midpoint(entries[0], entries[1]);
        let mut arisen = Arisen {
            own: mean * (new.own[0] / entries[1] - old.own[0] / entries[0]),
            calls: BTreeMap::new(),
        };
        let callees: BTreeSet<&String> = old.callees.keys().chain(new.callees.keys()).collect();
        for callee in callees {
            let edges = [old, new].map(|node| node.callees.get(callee));
            let whole = [base, head].map(|graph| present(graph, callee));
            let change = mean * more_calls(edges, whole, entries);
            if change != 0.0 {
                arisen.calls.insert(callee, change);
            }
        }
        all.insert(name, arisen);
    }
    cancel_moved_calls(&mut all, |callee| {
        present(base, callee).is_some() && present(head, callee).is_some()
    });
    all
}

/// Instructions per entry of calls that are made more often than in base. `whole` are the functions
/// that are called.
fn more_calls(edges: [Option<&Edge>; 2], whole: [Option<&Node>; 2], entries: [f64; 2]) -> f64 {
    let rate = |at: usize| edges[at].map_or(0.0, |edge| edge.calls / entries[at]);
    let cost = |at: usize| {
        edges[at].filter(|edge| edge.calls > 0.0).map(|edge| edge.inclusive / edge.calls)
    };
    let mean = |at: usize| {
        whole[at].filter(|node| node.entries > 0.0).map(|node| node.inclusive / node.entries)
    };
    // Where only one build makes the call, the other would pay what the function costs there.
    let other = |at: usize| {
        let there = cost(1 - at)?;
        Some(mean(at).zip(mean(1 - at)).map_or(there, |(here, elsewhere)| there * here / elsewhere))
    };
    let costs = [cost(0).or_else(|| other(0)), cost(1).or_else(|| other(1))];
    match costs {
        [Some(base), Some(head)] => (rate(1) - rate(0)) * f64::midpoint(base, head),
        _ => 0.0,
    }
}

/// Where one function makes calls that another made in base, only what is left of both counts.
fn cancel_moved_calls(all: &mut BTreeMap<&String, Arisen<'_>>, in_both: impl Fn(&String) -> bool) {
    let mut sums: BTreeMap<String, [f64; 2]> = BTreeMap::new();
    for (callee, change) in all.values().flat_map(|arisen| &arisen.calls) {
        sums.entry((*callee).clone()).or_default()[usize::from(*change > 0.0)] += change.abs();
    }
    for arisen in all.values_mut() {
        for (callee, change) in &mut arisen.calls {
            let [less, more] = sums[*callee];
            let (all, others) = if *change > 0.0 { (more, less) } else { (less, more) };
            if in_both(callee) && others > 0.0 {
                *change *= ((all - others) / all).max(0.0);
            }
        }
    }
}

/// Each event of both builds, with the functions whose own count changed the most.
fn events(base: &CallGraph, head: &CallGraph) -> Vec<EventChange> {
    let of = |graph: &CallGraph, event: &String| graph.events.iter().position(|e| e == event);
    let both = base.events.iter().filter_map(|e| Some((e, of(base, e)?, of(head, e)?)));
    let change = |(event, old, new): (&String, usize, usize)| EventChange {
        event: event.clone(),
        values: [base.total[old], head.total[new]],
        functions: if new == 0 { Vec::new() } else { moved_most(base, head, old, new) },
    };
    both.map(change).collect()
}

fn moved_most(base: &CallGraph, head: &CallGraph, old: usize, new: usize) -> Vec<(String, f64)> {
    let own = |graph: &CallGraph, at: usize| -> BTreeMap<String, f64> {
        let value = |node: &Node| node.own.get(at).copied().unwrap_or(0.0);
        graph.nodes.iter().map(|(name, node)| (name.clone(), value(node))).collect()
    };
    let maps = [own(base, old), own(head, new)];
    largest(differences([Some(&maps[0]), Some(&maps[1])]), MOST_DETAILS)
}

#[cfg(test)]
mod tests;
