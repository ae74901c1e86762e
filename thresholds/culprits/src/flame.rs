//! Stacks for a differential flame graph.

use crate::graph::CallGraph;
use std::collections::BTreeMap;

/// Stacks are cut here.
const DEPTH: usize = 48;
/// Branches with less than this share of the total are left out.
const SMALLEST: f64 = 0.000_5;

/// Instructions per operation by stack, in base and in head, the outermost function first and `;`
/// between two functions.
///
/// A call graph has no stacks: a function's cost is shared among its callers as the cost of their calls
/// is. A recursion is cut where it begins again.
pub fn stacks(base: &CallGraph, head: &CallGraph) -> BTreeMap<String, [f64; 2]> {
    let mut all = BTreeMap::new();
    for (at, graph) in [base, head].into_iter().enumerate() {
        let total = graph.total.first().copied().unwrap_or(0.0);
        for (name, node) in graph.nodes.iter().filter(|(_, node)| node.entries <= 0.0) {
            let mut walk = Walk { graph, at, least: SMALLEST * total, path: vec![], all: &mut all };
            walk.descend(name, node.inclusive);
        }
    }
    all
}

struct Walk<'a> {
    graph: &'a CallGraph,
    at: usize,
    least: f64,
    path: Vec<&'a str>,
    all: &'a mut BTreeMap<String, [f64; 2]>,
}

impl<'a> Walk<'a> {
    /// Adds `cost` instructions that are spent in `name` and below it.
    fn descend(&mut self, name: &'a str, cost: f64) {
        let Some(node) = self.graph.nodes.get(name) else { return };
        if cost < self.least || self.path.len() >= DEPTH || self.path.contains(&name) {
            return;
        }
        self.path.push(name);
        let share = if node.inclusive > 0.0 { cost / node.inclusive } else { 0.0 };
        let own = node.own.first().copied().unwrap_or(0.0) * share;
        if own > 0.0 {
            let stack = self.path.iter().map(|name| name.replace(';', ":"));
            let stack = stack.collect::<Vec<_>>().join(";");
            self.all.entry(stack).or_default()[self.at] += own;
        }
        for (callee, edge) in &node.callees {
            self.descend(callee, edge.inclusive * share);
        }
        self.path.pop();
    }
}
