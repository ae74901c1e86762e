//! Programs made by hand, and the call graphs that callgrind would see of them.

use crate::graph::{CallGraph, Edge, Node};
use std::collections::BTreeMap;

/// A function: instructions of its own per entry, and how often an entry calls which others.
#[derive(Debug, Clone)]
pub struct Body {
    pub own: f64,
    pub calls: Vec<(String, f64)>,
}

/// Functions by name; `main` is entered once per operation. Without recursion.
#[derive(Debug, Clone, Default)]
pub struct Program(pub BTreeMap<String, Body>);

impl Program {
    pub fn with(mut self, name: &str, own: f64, calls: &[(&str, f64)]) -> Self {
        let calls = calls.iter().map(|(name, times)| ((*name).to_owned(), *times)).collect();
        self.0.insert(name.to_owned(), Body { own, calls });
        self
    }

    /// The program with `old` called `new`.
    pub fn renamed(mut self, old: &str, new: &str) -> Self {
        let body = self.0.remove(old).unwrap();
        self.0.insert(new.to_owned(), body);
        for (callee, _) in self.0.values_mut().flat_map(|body| &mut body.calls) {
            if callee == old {
                new.clone_into(callee);
            }
        }
        self
    }

    /// The program with `name` inlined into all of its callers.
    pub fn inlined(mut self, name: &str) -> Self {
        let inner = self.0.remove(name).unwrap();
        for body in self.0.values_mut() {
            let Some(at) = body.calls.iter().position(|(callee, _)| callee == name) else {
                continue;
            };
            let (_, times) = body.calls.remove(at);
            body.own += times * inner.own;
            body.calls.extend(inner.calls.iter().map(|(c, n)| (c.clone(), n * times)));
        }
        self
    }

    fn cost(&self, name: &str) -> f64 {
        let body = &self.0[name];
        body.own + body.calls.iter().map(|(callee, times)| times * self.cost(callee)).sum::<f64>()
    }

    fn enter(&self, name: &str, times: f64, nodes: &mut BTreeMap<String, Node>) {
        let body = &self.0[name];
        let node = nodes.entry(name.to_owned()).or_default();
        node.own.resize(1, 0.0);
        node.own[0] += times * body.own;
        node.inclusive += times * self.cost(name);
        node.entries += if name == "main" { 0.0 } else { times };
        for (callee, often) in &body.calls {
            let edge: &mut Edge = node.callees.entry(callee.clone()).or_default();
            edge.calls += times * often;
            edge.inclusive += times * often * self.cost(callee);
        }
        for (callee, often) in &body.calls {
            self.enter(callee, times * often, nodes);
        }
    }

    pub fn graph(&self) -> CallGraph {
        let mut nodes = BTreeMap::new();
        self.enter("main", 1.0, &mut nodes);
        CallGraph { events: vec!["Ir".to_owned()], total: vec![self.cost("main")], nodes }
    }
}

/// A small handshake.
pub fn handshake() -> Program {
    Program::default()
        .with("main", 50.0, &[("client::start", 1.0), ("client::finish", 1.0)])
        .with("client::start", 400.0, &[("codec::encode", 12.0), ("hash::update", 2.0)])
        .with("client::finish", 300.0, &[("hash::update", 3.0), ("verify", 1.0)])
        .with("codec::encode", 30.0, &[])
        .with("hash::update", 60.0, &[("hash::block", 4.0)])
        .with("hash::block", 700.0, &[])
        .with("verify", 9_000.0, &[("hash::block", 2.0)])
}
