//! A judgement in words: what a reader sees first of a comparison.

use crate::{
    fit,
    format::{number, plain},
    in_tree,
};
use comfy_table::Table;
use serde::Serialize;
use shakedown_gate::{Comparison, Judgement, Verdict, policy::Action};
use shakedown_protocol::{Meter, RunRecord};
use std::fmt::Write;

/// A judgement, ready to be laid out.
#[derive(Debug, Serialize)]
pub struct Verdicts {
    /// The verdict in one line.
    pub headline: String,
    /// What a reader must know first.
    pub notes: Vec<String>,
    /// Name of base.
    pub base: String,
    /// Name of head.
    pub head: String,
    /// Whether it is an A/A comparison.
    pub same_code: bool,
    /// What else differs than the change itself.
    pub differences: Vec<String>,
    /// What a reader must know.
    pub warnings: Vec<String>,
    /// What was found, the worst first; sections without a finding are left out.
    pub sections: Vec<Section>,
    /// What did not change.
    pub unchanged: Vec<Judged>,
    /// Where the time went, part by part.
    pub times: Vec<Spent>,
}

/// Findings of one kind.
#[derive(Debug, Serialize)]
pub struct Section {
    /// What they have in common.
    pub title: &'static str,
    /// One a scenario, side and metric.
    pub found: Vec<Judged>,
}

/// One metric of one side of one scenario.
#[derive(Debug, Clone, Serialize)]
pub struct Judged {
    /// Scenario id.
    pub scenario: String,
    /// Side.
    pub side: String,
    /// Metric.
    pub metric: String,
    /// Unit.
    pub unit: String,
    /// Median of base, or `–`.
    pub base: String,
    /// Median of head, or `–`.
    pub head: String,
    /// Head against base, in percent.
    pub change: String,
    /// Its interval; empty where there is none.
    pub interval: String,
    /// What is tolerated.
    pub margin: String,
    /// Trials of base and head.
    pub n: String,
    /// Smallest change for the worse that would have been called.
    pub smallest: String,
    /// Why.
    pub why: String,
}

/// A part of the time that a comparison took.
#[derive(Debug, Serialize)]
pub struct Spent {
    /// On what.
    pub what: &'static str,
    /// Whole seconds.
    pub seconds: u64,
}

impl Verdicts {
    /// Says what was decided. `built_s` is how long building took, where that is known.
    pub fn new(judgement: &Judgement, record: &RunRecord, built_s: Option<u64>) -> Self {
        let mut unchanged = Vec::new();
        let mut sections: Vec<Section> =
            TITLES.iter().map(|title| Section { title, found: Vec::new() }).collect();
        for found in &judgement.comparisons {
            match place(found) {
                Some(index) => sections[index].found.push(judged(found)),
                None if found.settings.action > Action::Report => unchanged.push(judged(found)),
                None => {}
            }
        }
        sections.retain(|section| !section.found.is_empty());
        Self {
            headline: in_tree::headline(record, &judgement.headline),
            notes: in_tree::notes(record),
            base: judgement.base.clone(),
            head: judgement.head.clone(),
            same_code: judgement.same_code,
            differences: judgement.differences.clone(),
            warnings: judgement.warnings.clone(),
            sections,
            unchanged,
            times: times(record, built_s),
        }
    }

    /// The judgement for a terminal: the verdict first.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", plain(&self.headline));
        for note in &self.notes {
            let _ = writeln!(text, "{}", plain(note));
        }
        if self.same_code {
            text.push_str("base and head are the same code: an A/A comparison\n");
        }
        for line in &self.differences {
            let _ = writeln!(text, "differs besides the change itself: {}", plain(line));
        }
        for line in &self.warnings {
            let _ = writeln!(text, "warning: {}", plain(line));
        }
        for section in &self.sections {
            let _ = writeln!(text, "\n{}\n{}", section.title, grid(&section.found));
        }
        let times: Vec<String> =
            self.times.iter().map(|spent| format!("{} {} s", spent.what, spent.seconds)).collect();
        let _ = writeln!(text, "\ntime: {}", times.join(", "));
        text
    }
}

/// The kinds of findings, the worst first.
const TITLES: [&str; 7] = [
    "broken",
    "missing",
    "regressed",
    "accepted regressions",
    "improved",
    "inconclusive",
    "changed, but only reported",
];

/// Where a comparison belongs; `None`: it did not change.
fn place(found: &Comparison) -> Option<usize> {
    let gated = found.settings.action > Action::Report;
    Some(match found.verdict {
        _ if found.accepted.is_some() => 3,
        Verdict::Pass => return None,
        Verdict::Regressed | Verdict::Improved if !gated => 6,
        Verdict::Broken => 0,
        Verdict::Missing => 1,
        Verdict::Regressed => 2,
        Verdict::Improved => 4,
        Verdict::Inconclusive if gated => 5,
        // Nobody asked for an answer.
        Verdict::Inconclusive => return None,
    })
}

fn judged(found: &Comparison) -> Judged {
    let value = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number);
    let interval = match (found.low, found.high) {
        (Some(low), Some(high)) => format!("{} to {}", percent(low), percent(high)),
        _ => String::new(),
    };
    Judged {
        scenario: found.scenario.to_string(),
        side: found.side.to_string(),
        metric: found.metric.to_string(),
        unit: found.unit.to_string(),
        base: value(found.base),
        head: value(found.head),
        change: found.change.map_or_else(|| "–".to_owned(), percent),
        interval,
        margin: format!("{} %", share(found.settings.margin)),
        n: format!("{} + {}", found.base_trials, found.head_trials),
        smallest: found.smallest.map_or_else(String::new, |s| format!("{} %", share(s))),
        why: found.reason.clone(),
    }
}

/// Signed, with as many digits as a change of this size deserves.
fn percent(share: f64) -> String {
    let percent = share * 100.0;
    match percent.abs() {
        p if p >= 10.0 => format!("{percent:+.0} %"),
        p if p >= 0.1 => format!("{percent:+.1} %"),
        p if p >= 0.005 => format!("{percent:+.2} %"),
        _ => "0 %".to_owned(),
    }
}

fn share(share: f64) -> String {
    let text = format!("{:.2}", share * 100.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Where the time went, by the trials' own clocks.
fn times(record: &RunRecord, built_s: Option<u64>) -> Vec<Spent> {
    let mut times = Vec::new();
    times.extend(built_s.map(|seconds| Spent { what: "building", seconds }));
    let of = |meter: Meter| {
        let trials = record.trials.iter().filter(|trial| trial.meter == meter);
        trials.map(|trial| trial.watch.wall_us).sum::<u64>()
    };
    let parts = [
        ("timed trials", of(Meter::Time)),
        ("heap trials", of(Meter::Heap)),
        ("instruction trials", of(Meter::Instructions)),
    ];
    let measured: u64 = parts.iter().map(|(_, us)| us).sum();
    for (what, us) in parts.into_iter().filter(|(_, us)| *us > 0) {
        times.push(Spent { what, seconds: us / 1_000_000 });
    }
    if let Some(finish) = &record.finish {
        let whole = finish.at_ms.saturating_sub(record.started_ms);
        let seconds = whole.saturating_sub(measured / 1000) / 1000;
        times.push(Spent { what: "between trials", seconds });
    }
    times
}

fn grid(found: &[Judged]) -> Table {
    let mut table = fit::grid();
    table.set_header(["scenario", "side", "metric", "base", "head", "change", "margin", "why"]);
    for one in found {
        let change = match one.interval.as_str() {
            "" => one.change.clone(),
            interval => format!("{} [{interval}]", one.change),
        };
        table.add_row([
            plain(&one.scenario),
            one.side.clone(),
            format!("{} [{}]", one.metric, one.unit),
            one.base.clone(),
            one.head.clone(),
            change,
            one.margin.clone(),
            plain(&one.why),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_has_the_digits_that_it_deserves() {
        let told = [0.1234, -0.0312, 0.0004, 0.00001, 0.0].map(percent);
        assert_eq!(told, ["+12 %", "-3.1 %", "+0.04 %", "0 %", "0 %"]);
        assert_eq!([0.01, 0.002, 0.0, 0.105].map(share), ["1", "0.2", "0", "10.5"]);
    }
}
