//! Findings without any estimate of a change. Their values say nothing, so none is shown: only why,
//! and which they are.

use super::{row::ResultRow, section::SectionKind};
use crate::{format::capital, words::plural};
use serde::Serialize;

/// Findings without an estimate that have the same reason.
#[derive(Debug, Clone, Serialize)]
pub struct Unjudged {
    /// What they are, in short, for those that nobody must act on one by one; else empty.
    pub what: String,
    /// How many scenarios of how many, above the list of them.
    pub extent: String,
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
    pub(super) fn take(kind: SectionKind, found: &mut Vec<ResultRow>, all: usize) -> Vec<Self> {
        let open: Vec<ResultRow> = found.extract_if(.., |row| row.change_share.is_none()).collect();
        let groups = open.chunk_by(|one, next| one.why == next.why);
        groups.map(|rows| Self::of(kind, rows, all)).collect()
    }

    fn of(kind: SectionKind, rows: &[ResultRow], all: usize) -> Self {
        let scenarios = scenarios(rows);
        let what = if kind == SectionKind::Inconclusive { what(rows) } else { String::new() };
        let extent = match scenarios.len() {
            some if some == all && all > 1 => format!("All {all} scenarios"),
            some => format!("{some} of {}", plural(all, "scenario", "scenarios")),
        };
        Self { what, extent, why: capital(&rows[0].why), scenarios }
    }
}

/// `16 timed metrics could not be judged: handshakes/s (client, server) of 5 scenarios, throughput
/// (send, receive) of 3`.
fn what(rows: &[ResultRow]) -> String {
    let (counts, times) = (rows.iter().any(|row| row.counted), rows.iter().any(|row| !row.counted));
    let (one, many) = match (counts, times) {
        (false, true) => ("timed metric", "timed metrics"),
        (true, false) => ("count", "counts"),
        _ => ("metric", "metrics"),
    };
    let mut parts = Vec::new();
    for name in distinct(rows, metric) {
        let own: Vec<&ResultRow> = rows.iter().filter(|row| metric(row) == name).collect();
        let sides = distinct(own.iter().copied(), |row| &row.side).join(", ");
        let of = match distinct(own.iter().copied(), |row| &row.scenario).as_slice() {
            [one] => (*one).to_owned(),
            many if parts.is_empty() => format!("{} scenarios", many.len()),
            many => many.len().to_string(),
        };
        parts.push(format!("{name} ({sides}) of {of}"));
    }
    format!("{} could not be judged: {}", plural(rows.len(), one, many), parts.join(", "))
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

fn distinct<'a>(
    rows: impl IntoIterator<Item = &'a ResultRow>,
    of: fn(&ResultRow) -> &str,
) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for row in rows {
        let text = of(row);
        if !seen.contains(&text) {
            seen.push(text);
        }
    }
    seen
}
