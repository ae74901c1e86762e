//! Stacks for a differential flame graph.

use crate::{
    graph::{CallGraph, Edge},
    name,
};
use std::collections::{BTreeMap, BTreeSet};

/// Stacks are cut here.
const DEPTH: usize = 48;
/// Branches with less than this share of the total are left out.
const SMALLEST: f64 = 0.003;

/// Instructions per operation by stack, in base and in head, the outermost function first and `;`
/// between two functions.
///
/// A call graph has no stacks: a function's cost is shared among its callers as the cost of their calls
/// is. A recursion is cut where it begins again.
pub fn stacks(base: &CallGraph, head: &CallGraph) -> BTreeMap<String, [f64; 2]> {
    let mut all = BTreeMap::new();
    for (at, graph) in [base, head].into_iter().enumerate() {
        let total = graph.total.first().copied().unwrap_or(0.0);
        let called: BTreeSet<&String> =
            graph.nodes.values().flat_map(|node| node.callees.keys()).collect();
        for (name, node) in graph.nodes.iter().filter(|(name, _)| !called.contains(name)) {
            let mut walk = Walk { graph, at, least: SMALLEST * total, path: vec![], all: &mut all };
            walk.descend(below(graph, name), node.inclusive);
        }
    }
    without_common_start(all)
}

/// Without the functions that every stack begins with, but for the last of them: the program's start and the
/// loop that repeats the operation say nothing.
fn without_common_start(all: BTreeMap<String, [f64; 2]>) -> BTreeMap<String, [f64; 2]> {
    let common =
        |a: &str, b: &str| a.split(';').zip(b.split(';')).take_while(|(a, b)| a == b).count();
    let (Some(first), Some(last)) = (all.keys().next(), all.keys().next_back()) else { return all };
    // In the order of the names, what the first and the last share is shared by all.
    let dropped = common(first, last).saturating_sub(1);
    let rest = |stack: &str| stack.split(';').skip(dropped).collect::<Vec<_>>().join(";");
    all.iter().map(|(stack, both)| (rest(stack), *both)).collect()
}

/// The first function below `name` that does more than call another: what starts a program says nothing.
fn below<'a>(graph: &'a CallGraph, name: &'a str) -> &'a str {
    let (mut name, mut seen) = (name, BTreeSet::from([name]));
    while let Some(node) = graph.nodes.get(name) {
        let passes_on = |edge: &Edge| edge.inclusive >= 0.995 * node.inclusive;
        let further = node
            .callees
            .iter()
            .find(|(callee, edge)| passes_on(edge) && !seen.contains(callee.as_str()));
        match further {
            Some((callee, _)) => {
                name = callee;
                seen.insert(name);
            }
            None => break,
        }
    }
    name
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
            let stack = self.path.iter().map(|name| name::short(name).replace(';', ":"));
            let stack = stack.collect::<Vec<_>>().join(";");
            self.all.entry(stack).or_default()[self.at] += own;
        }
        for (callee, edge) in &node.callees {
            self.descend(callee, edge.inclusive * share);
        }
        self.path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::handshake;

    #[test]
    fn stacks_add_up_and_begin_where_work_begins() {
        let base = handshake();
        let mut head = base.clone();
        head.0.get_mut("hash::block").unwrap().own = 800.0;
        let all = stacks(&base.graph(), &head.graph());
        let sums = [0, 1].map(|at| all.values().map(|both| both[at]).sum::<f64>());
        assert!((sums[0] - base.graph().total[0]).abs() < 0.01 * sums[0], "{sums:?}");
        assert!((sums[1] - head.graph().total[0]).abs() < 0.01 * sums[1], "{sums:?}");
        assert!(all.keys().all(|stack| stack.starts_with("main")), "{all:#?}");
        let deep = &all["main;client::finish;verify;hash::block"];
        assert_eq!(*deep, [1_400.0, 1_600.0]);
        let started = base.with("_start", 1.0, &[("main", 1.0)]).graph();
        assert!(stacks(&started, &started).keys().all(|stack| !stack.contains("_start")));
    }

    #[test]
    fn what_every_stack_begins_with_is_left_out_but_for_one() {
        let all = |names: &[&str]| -> BTreeMap<String, [f64; 2]> {
            names.iter().map(|name| ((*name).to_owned(), [1.0, 2.0])).collect()
        };
        let found =
            without_common_start(all(&["rt;main;step;a", "rt;main;step;b;c", "rt;main;step"]));
        assert_eq!(found, all(&["step;a", "step;b;c", "step"]));
        assert_eq!(without_common_start(all(&["main;a", "other"])), all(&["main;a", "other"]));
        assert_eq!(without_common_start(BTreeMap::new()), BTreeMap::new());
    }
}
