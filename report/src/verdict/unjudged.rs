//! Findings without any estimate of a change. Their values say nothing, so none is shown: only why,
//! and which they are.

use super::{row::ResultRow, section::SectionKind};
use crate::format::capital;
use serde::Serialize;
use std::collections::BTreeSet;

/// Findings without an estimate that have the same reason.
#[derive(Debug, Clone, Serialize)]
pub struct Unjudged {
    /// What they are, in short, for those that nobody must act on one by one; else empty.
    pub what: String,
    /// Why, as a sentence.
    pub why: String,
    /// Which they are.
    pub scenarios: Vec<UnjudgedScenario>,
}

/// A scenario with findings that have no estimate.
#[derive(Debug, Clone, Serialize)]
pub struct UnjudgedScenario {
    /// Scenario id.
    pub scenario: String,
    /// Its first part.
    pub kind: String,
    /// Its other parts.
    pub parameters: String,
    /// Sides and metrics.
    pub what: String,
}

impl Unjudged {
    /// Takes what has no estimate out of the findings of a kind; same reasons stand together there.
    pub(super) fn take(kind: SectionKind, found: &mut Vec<ResultRow>) -> Vec<Self> {
        let open: Vec<ResultRow> = found.extract_if(.., |row| row.change_share.is_none()).collect();
        let groups = open.chunk_by(|one, next| one.why == next.why);
        groups.map(|rows| Self::of(kind, rows)).collect()
    }

    fn of(kind: SectionKind, rows: &[ResultRow]) -> Self {
        let scenarios = scenarios(rows);
        let what = if kind == SectionKind::Inconclusive { what(rows) } else { String::new() };
        Self { what, why: capital(&rows[0].why), scenarios }
    }
}

/// `16 timed metrics could not be judged: handshakes/s and throughput of 8 scenarios (client, server)`.
fn what(rows: &[ResultRow]) -> String {
    let ids: BTreeSet<&str> = rows.iter().map(|row| row.scenario.as_str()).collect();
    let (counts, times) = (rows.iter().any(|row| row.counted), rows.iter().any(|row| !row.counted));
    let noun = match (counts, times) {
        (false, true) => "timed metric",
        (true, false) => "count",
        _ => "metric",
    };
    let plural = if rows.len() == 1 { "" } else { "s" };
    let of = match ids.first() {
        Some(one) if ids.len() == 1 => (*one).to_owned(),
        _ => format!("{} scenarios", ids.len()),
    };
    let metrics = and(&distinct(rows, metric));
    let sides = distinct(rows, |row| &row.side).join(", ");
    format!("{} {noun}{plural} could not be judged: {metrics} of {of} ({sides})", rows.len())
}

fn scenarios(rows: &[ResultRow]) -> Vec<UnjudgedScenario> {
    let mut all: Vec<UnjudgedScenario> = Vec::new();
    for row in rows {
        let one = format!("{} {}", row.side, metric(row));
        match all.iter_mut().find(|seen| seen.scenario == row.scenario) {
            Some(seen) => seen.what = format!("{}, {one}", seen.what),
            None => all.push(UnjudgedScenario {
                scenario: row.scenario.clone(),
                kind: row.kind.clone(),
                parameters: row.parameters.clone(),
                what: one,
            }),
        }
    }
    all
}

/// The metric without its unit, where that is apart from it.
fn metric(row: &ResultRow) -> &str {
    row.measured.split(", ").next().unwrap_or_default()
}

fn distinct(rows: &[ResultRow], of: fn(&ResultRow) -> &str) -> Vec<&str> {
    let mut seen = Vec::new();
    for row in rows {
        let text = of(row);
        if !seen.contains(&text) {
            seen.push(text);
        }
    }
    seen
}

fn and(parts: &[&str]) -> String {
    match parts {
        [some @ .., last] if !some.is_empty() => format!("{} and {last}", some.join(", ")),
        _ => parts.join(", "),
    }
}
