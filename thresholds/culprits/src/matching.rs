//! Functions that have another name in head than in base: renamed, or moved to another module.

use crate::{
    graph::{CallGraph, Node},
    name,
};
use std::collections::{BTreeMap, BTreeSet};

/// Points that a pair needs, of those in [`likeness`].
const ENOUGH: u32 = 3;

/// Names of base, and the names that the same functions have in head: of the functions that only
/// one of both has, those whose body and place are alike.
pub fn matches(base: &CallGraph, head: &CallGraph) -> BTreeMap<String, String> {
    let (gone, new) = (only(base, head), only(head, base));
    let (callers_in_base, callers_in_head) = (callers(base), callers(head));
    let nobody = BTreeSet::new();
    let mut pairs = Vec::new();
    for (old, node) in &gone {
        for (new, other) in &new {
            let by = callers_in_base.get(old).unwrap_or(&nobody);
            let by_head = callers_in_head.get(new).unwrap_or(&nobody);
            let alike = likeness((old, node, by), (new, other, by_head));
            let size = (node.inclusive - other.inclusive).abs();
            if alike >= ENOUGH {
                pairs.push((alike, size, *old, *new));
            }
        }
    }
    // The most alike first, then those that are closest in size.
    pairs.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.total_cmp(&b.1)));
    let (mut found, mut taken) = (BTreeMap::new(), BTreeSet::new());
    for (_, _, old, new) in pairs {
        if !found.contains_key(old) && taken.insert(new) {
            found.insert(old.clone(), new.clone());
        }
    }
    found
}

fn only<'a>(graph: &'a CallGraph, other: &CallGraph) -> Vec<(&'a String, &'a Node)> {
    let absent = |name: &String| other.nodes.get(name).is_none_or(|node| node.inclusive <= 0.0);
    graph.nodes.iter().filter(|(name, node)| node.inclusive > 0.0 && absent(name)).collect()
}

fn callers(graph: &CallGraph) -> BTreeMap<&String, BTreeSet<&String>> {
    let mut callers: BTreeMap<&String, BTreeSet<&String>> = BTreeMap::new();
    for (caller, node) in &graph.nodes {
        for callee in node.callees.keys() {
            callers.entry(callee).or_default().insert(caller);
        }
    }
    callers
}

type Described<'a> = (&'a String, &'a Node, &'a BTreeSet<&'a String>);

/// How alike two functions are, in points: 2 for the last segment of the name, 2 for the size of the
/// body (1 if it changed a little), 1 each for callees and callers.
fn likeness(old: Described<'_>, new: Described<'_>) -> u32 {
    let last = |name: &str| name::short(name).rsplit("::").next().unwrap_or("").to_owned();
    let per_entry = |node: &Node| node.own[0] / node.entries.max(f64::MIN_POSITIVE);
    let close = |share: f64, a: f64, b: f64| (a - b).abs() <= share * a.max(b);
    let callees = |node: &Node| node.callees.keys().cloned().collect::<BTreeSet<_>>();
    let mut points = 0;
    if last(old.0) == last(new.0) {
        points += 2;
    }
    for share in [0.02, 0.2] {
        points += u32::from(close(share, per_entry(old.1), per_entry(new.1)));
    }
    if overlap(&callees(old.1), &callees(new.1)) {
        points += 1;
    }
    if overlap(old.2, new.2) {
        points += 1;
    }
    points
}

/// Whether at least half of what one of both has is in both.
fn overlap<T: Ord>(a: &BTreeSet<T>, b: &BTreeSet<T>) -> bool {
    let all = a.union(b).count();
    all == 0 || 2 * a.intersection(b).count() >= all
}
