//! A profile per operation, as a graph of functions and calls.

use crate::{
    callgrind::{Call, CallgrindProfile},
    lines::LineCosts,
    name,
};
use std::collections::{BTreeMap, BTreeSet};

/// Events of one operation, in the order of [`CallGraph::events`]; the first are instructions.
pub type Cost = Vec<f64>;

/// All calls of one function by another, per operation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Edge {
    /// How often.
    pub calls: f64,
    /// Instructions within them.
    pub inclusive: f64,
}

/// One function, per operation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Node {
    /// Events in its own code, with those of the functions that only serve it (`malloc`, `memcpy`).
    pub own: Cost,
    /// Instructions of the serving functions within `own`, by name.
    pub serving: BTreeMap<String, f64>,
    /// Instructions with everything that it calls.
    pub inclusive: f64,
    /// How often it is entered; 0 where nothing that was collected calls it.
    pub entries: f64,
    /// Its own instructions by source file, without the serving functions.
    pub by_file: BTreeMap<String, f64>,
    /// The same by line, where debug information has it, without the lines of Rust's own libraries.
    pub by_line: LineCosts,
    /// What it calls.
    pub callees: BTreeMap<String, Edge>,
}

/// A profile per operation. Functions whose [normalized](name::normalized) names are equal are one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallGraph {
    /// Names of the events; `Ir` is the first.
    pub events: Vec<String>,
    /// Events of one operation.
    pub total: Cost,
    /// Functions by name.
    pub nodes: BTreeMap<String, Node>,
}

impl CallGraph {
    /// The graph of a profile of so many operations.
    pub fn new(profile: &CallgrindProfile, operations: u64) -> Self {
        let per = |count: u64| count as f64 / operations.max(1) as f64;
        let costs = |counts: &[u64]| -> Cost { counts.iter().map(|c| per(*c)).collect() };
        let names: Vec<String> =
            profile.functions.iter().map(|f| name::normalized(&f.name)).collect();
        let mut nodes: BTreeMap<String, Node> = BTreeMap::new();
        for (function, name) in profile.functions.iter().zip(&names) {
            let node = nodes.entry(name.clone()).or_default();
            add(&mut node.own, &costs(&function.own));
            for ((path, line), count) in &function.by_line {
                let file = name::end_of_path(path);
                if *line > 0 && !name::is_rust_library(path) {
                    let lines = node.by_line.entry(file.clone()).or_default();
                    *lines.entry(*line).or_default() += per(*count);
                }
                *node.by_file.entry(file).or_default() += per(*count);
            }
        }
        for call in &profile.calls {
            let (caller, callee) = (&names[call.caller], &names[call.callee]);
            // A recursion has its cost in the outermost call.
            if caller == callee {
                continue;
            }
            let edge = nodes.get_mut(caller).map(|n| n.callees.entry(callee.clone()).or_default());
            if let Some(edge) = edge {
                edge.calls += per(call.calls);
                edge.inclusive += per(call.inclusive.first().copied().unwrap_or(0));
            }
        }
        let serving = serving(profile, &names);
        let mut graph =
            Self { events: profile.events.clone(), total: costs(&profile.totals), nodes };
        graph.fold(&serving);
        graph.count_entries();
        graph
    }

    /// Adds the cost of serving functions to those that they serve, and leaves them out.
    fn fold(&mut self, serving: &BTreeSet<&String>) {
        for (name, node) in &mut self.nodes {
            if serving.contains(name) {
                continue;
            }
            let (folded, kept) = std::mem::take(&mut node.callees)
                .into_iter()
                .partition(|(callee, _)| serving.contains(callee));
            node.callees = kept;
            let folded: BTreeMap<String, Edge> = folded;
            for (callee, edge) in folded {
                node.own[0] += edge.inclusive;
                *node.serving.entry(callee).or_default() += edge.inclusive;
            }
        }
        self.nodes.retain(|name, _| !serving.contains(name));
    }

    fn count_entries(&mut self) {
        let mut entries: BTreeMap<String, f64> = BTreeMap::new();
        for node in self.nodes.values_mut() {
            node.inclusive =
                node.own[0] + node.callees.values().map(|edge| edge.inclusive).sum::<f64>();
            for (callee, edge) in &node.callees {
                *entries.entry(callee.clone()).or_default() += edge.calls;
            }
        }
        for (name, node) in &mut self.nodes {
            node.entries = entries.get(name).copied().unwrap_or(0.0);
        }
    }

    /// The graph with functions under other names, as [`crate::explain`] matches them.
    pub(crate) fn renamed(&self, names: &BTreeMap<String, String>) -> Self {
        let name = |old: &String| names.get(old).unwrap_or(old).clone();
        let rename = |node: &Node| Node {
            callees: node
                .callees
                .iter()
                .map(|(callee, edge)| (name(callee), edge.clone()))
                .collect(),
            ..node.clone()
        };
        let nodes = self.nodes.iter().map(|(old, node)| (name(old), rename(node))).collect();
        Self { nodes, ..self.clone() }
    }
}

/// The functions that only serve others. One that calls back (`qsort`, `pthread_once`, what calls
/// `main`) does not.
fn serving<'a>(profile: &CallgrindProfile, names: &'a [String]) -> BTreeSet<&'a String> {
    let mut serving: BTreeSet<&String> = names.iter().collect();
    for (function, name) in profile.functions.iter().zip(names) {
        if !name::serves(name, &function.object) {
            serving.remove(name);
        }
    }
    loop {
        let calls_back = |call: &&Call| {
            serving.contains(&names[call.caller]) && !serving.contains(&names[call.callee])
        };
        let found: Vec<&String> =
            profile.calls.iter().filter(calls_back).map(|call| &names[call.caller]).collect();
        if found.is_empty() {
            return serving;
        }
        for name in found {
            serving.remove(name);
        }
    }
}

fn add(sum: &mut Cost, more: &Cost) {
    sum.resize(sum.len().max(more.len()), 0.0);
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}
