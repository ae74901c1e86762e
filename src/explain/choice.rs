//! Which scenarios are worth a profile.

use super::ExplainOptions;
use shakedown_gate::{Comparison, Judgement, Verdict};
use shakedown_protocol::{Metric, Scenario, Side};
use std::collections::BTreeMap;

/// A scenario to profile.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub scenario: Scenario,
    /// Sides whose instructions are profiled, with the metrics that changed.
    pub sides: BTreeMap<Side, Vec<Metric>>,
    /// Whether its allocations are profiled.
    pub heap: bool,
    /// Whether the memory of its sessions is profiled.
    pub sessions: bool,
    /// Whether what it puts on the wire is taken apart.
    pub traffic: bool,
    /// The largest change of its metrics, as a share.
    size: f64,
}

/// The scenarios with the largest changes, and those for which there is no room.
pub fn choose(judgement: &Judgement, options: &ExplainOptions) -> (Vec<Choice>, Vec<Scenario>) {
    let mut choices: BTreeMap<Scenario, Choice> = BTreeMap::new();
    for one in judgement.comparisons.iter().filter(|one| is_wanted(one, options)) {
        let choice = choices.entry(one.scenario).or_insert_with(|| Choice {
            scenario: one.scenario,
            sides: BTreeMap::new(),
            heap: false,
            sessions: false,
            traffic: false,
            size: 0.0,
        });
        choice.size = choice.size.max(one.change.unwrap_or(0.0).abs());
        match one.metric {
            Metric::Allocations | Metric::AllocatedBytes | Metric::PeakHeap => choice.heap = true,
            Metric::SessionMemory | Metric::PeakMemory => choice.sessions = true,
            Metric::WireBytes | Metric::Records | Metric::Flights => choice.traffic = true,
            metric => choice.sides.entry(one.side).or_default().push(metric),
        }
    }
    let mut choices: Vec<Choice> = choices.into_values().collect();
    choices.sort_by(|a, b| b.size.total_cmp(&a.size));
    let left = choices.split_off(options.most.min(choices.len()));
    (choices, left.into_iter().map(|choice| choice.scenario).collect())
}

fn is_wanted(one: &Comparison, options: &ExplainOptions) -> bool {
    let changed = matches!(one.verdict, Verdict::Regressed | Verdict::Improved);
    let named = options.only.is_empty() || options.only.contains(&one.scenario);
    let memory = one.scenario.is_memory();
    // Counting meters run handshakes and transfers only, and profiles of memory the sessions of such a scenario.
    named
        && memory == matches!(one.metric, Metric::SessionMemory | Metric::PeakMemory)
        && (memory || one.side != Side::Both)
        && (changed || options.all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_gate::{Policy, judge};
    use shakedown_protocol::fixture::comparison::comparison;

    const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
    const TICKET: &str = "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256";

    fn options() -> ExplainOptions {
        ExplainOptions { most: 8, all: false, only: Vec::new() }
    }

    #[test]
    fn what_changed_most_comes_first_and_the_rest_is_named() {
        let record = comparison(&[(FULL, [1.0, 0.9]), (TICKET, [1.0, 0.8])]);
        let judgement = judge(&record, &Policy::shipped().unwrap()).unwrap();
        let (chosen, left) = choose(&judgement, &options());
        let names: Vec<String> = chosen.iter().map(|c| c.scenario.to_string()).collect();
        assert_eq!((names, left.len()), (vec![TICKET.to_owned(), FULL.to_owned()], 0));
        let (chosen, left) = choose(&judgement, &ExplainOptions { most: 1, ..options() });
        assert_eq!((chosen.len(), left), (1, vec![FULL.parse().unwrap()]));
    }

    #[test]
    fn what_did_not_change_is_profiled_only_if_asked_for() {
        let record = comparison(&[(FULL, [1.0, 1.0])]);
        let judgement = judge(&record, &Policy::shipped().unwrap()).unwrap();
        assert_eq!(choose(&judgement, &options()).0, []);
        let all = ExplainOptions { all: true, only: vec![FULL.parse().unwrap()], ..options() };
        assert_eq!(choose(&judgement, &all).0.len(), 1);
        let other = ExplainOptions { only: vec![TICKET.parse().unwrap()], ..all };
        assert_eq!(choose(&judgement, &other).0, []);
    }
}
