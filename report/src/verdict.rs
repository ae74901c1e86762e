//! A judgement in words: what a reader sees first of a comparison.

use crate::{
    fit,
    format::{number, plain, signed_percent},
    in_tree, words,
};
use comfy_table::Table;
use serde::Serialize;
use shakedown_gate::{Comparison, Judgement, Verdict, policy::Share};
use shakedown_protocol::{Meter, RunRecord};
use std::{collections::BTreeMap, fmt::Write};

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
    pub unchanged: Vec<ResultRow>,
    /// What "regressed" and "unchanged" mean in numbers; `None` where nothing was gated.
    pub margins: Option<String>,
    /// Where the time went, part by part.
    pub times: Vec<PhaseTime>,
}

/// What the findings of a section have in common, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SectionKind {
    /// Head negotiates something else, or crashes.
    Broken,
    /// Head lacks what base has.
    Missing,
    /// Worse.
    Regressed,
    /// Worse, and accepted.
    Accepted,
    /// Better.
    Improved,
    /// Not decided.
    Inconclusive,
    /// Changed, where the policy only reports that.
    ReportedOnly,
    /// Unchanged.
    Unchanged,
}

impl SectionKind {
    /// Where a comparison belongs; `None` where nobody asked for an answer.
    fn of(found: &Comparison) -> Option<Self> {
        let gated = found.is_gated();
        Some(match found.verdict {
            _ if found.accepted.is_some() => Self::Accepted,
            Verdict::Regressed | Verdict::Improved if !gated => Self::ReportedOnly,
            Verdict::Broken => Self::Broken,
            Verdict::Missing => Self::Missing,
            Verdict::Regressed => Self::Regressed,
            Verdict::Improved => Self::Improved,
            Verdict::Inconclusive | Verdict::Pass if !gated => return None,
            Verdict::Inconclusive => Self::Inconclusive,
            Verdict::Pass => Self::Unchanged,
        })
    }

    /// Its heading.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Missing => "missing",
            Self::Regressed => "regressed",
            Self::Accepted => "accepted regressions",
            Self::Improved => "improved",
            Self::Inconclusive => "inconclusive",
            Self::ReportedOnly => "changed, but only reported",
            Self::Unchanged => "unchanged",
        }
    }
}

/// Findings of one kind.
#[derive(Debug, Serialize)]
pub struct Section {
    /// What they have in common.
    #[serde(skip)]
    pub kind: SectionKind,
    /// Its heading.
    pub title: &'static str,
    /// One a scenario, side and metric.
    pub found: Vec<ResultRow>,
}

/// One metric of one side of one scenario.
#[derive(Debug, Clone, Serialize)]
pub struct ResultRow {
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
    /// The same as a share; `None` where there is no number.
    #[serde(skip)]
    pub change_share: Option<f64>,
    /// Its interval; empty where there is none.
    pub interval: String,
    /// What is tolerated.
    pub margin: String,
    /// Trials of base and head.
    pub n: String,
    /// The smallest change for the worse that would have been found.
    pub minimum_detectable_effect: String,
    /// Why.
    pub why: String,
}

/// A part of the time that a comparison took.
#[derive(Debug, Serialize)]
pub struct PhaseTime {
    /// On what.
    pub what: &'static str,
    /// Whole seconds.
    pub seconds: u64,
}

impl Verdicts {
    /// Says what was decided. `built_s` is how long building took, where that is known.
    pub fn new(judgement: &Judgement, record: &RunRecord, built_s: Option<u64>) -> Self {
        let mut by_kind: BTreeMap<SectionKind, Vec<ResultRow>> = BTreeMap::new();
        for found in &judgement.comparisons {
            if let Some(kind) = SectionKind::of(found) {
                by_kind.entry(kind).or_default().push(row(found));
            }
        }
        let unchanged = by_kind.remove(&SectionKind::Unchanged).unwrap_or_default();
        let sections = by_kind.into_iter();
        let sections = sections.map(|(kind, found)| Section { kind, title: kind.title(), found });
        Self {
            headline: in_tree::headline(record, &words::headline(&judgement.counts)),
            notes: in_tree::notes(record),
            base: judgement.base.clone(),
            head: judgement.head.clone(),
            same_code: judgement.same_code,
            differences: judgement.differences.iter().map(words::difference).collect(),
            warnings: judgement.warnings.iter().map(words::judgement_warning).collect(),
            sections: sections.collect(),
            unchanged,
            margins: words::margins(judgement),
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
        if let Some(margins) = &self.margins {
            let _ = writeln!(text, "\n{margins}");
        }
        let times: Vec<String> =
            self.times.iter().map(|spent| format!("{} {} s", spent.what, spent.seconds)).collect();
        let _ = writeln!(text, "\ntime: {}", times.join(", "));
        text
    }
}

fn row(found: &Comparison) -> ResultRow {
    let value = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), number);
    let interval = match (found.low, found.high) {
        (Some(low), Some(high)) => format!("{} to {}", signed_percent(low), signed_percent(high)),
        _ => String::new(),
    };
    let detectable = found.minimum_detectable_effect;
    ResultRow {
        scenario: found.scenario.to_string(),
        side: found.side.to_string(),
        metric: found.metric.to_string(),
        unit: found.unit.to_string(),
        base: value(found.base),
        head: value(found.head),
        change: found.change.map_or_else(|| "–".to_owned(), signed_percent),
        change_share: found.change,
        interval,
        margin: Share(found.settings.margin).to_string(),
        n: format!("{} + {}", found.base_trials, found.head_trials),
        minimum_detectable_effect: detectable
            .map_or_else(String::new, |share| Share(share).to_string()),
        why: words::why(found),
    }
}

/// Where the time went, by the trials' own clocks.
fn times(record: &RunRecord, built_s: Option<u64>) -> Vec<PhaseTime> {
    let mut times = Vec::new();
    times.extend(built_s.map(|seconds| PhaseTime { what: "building", seconds }));
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
        times.push(PhaseTime { what, seconds: us / 1_000_000 });
    }
    if let Some(finish) = &record.finish {
        let whole = finish.at_ms.saturating_sub(record.started_ms);
        let seconds = whole.saturating_sub(measured / 1000) / 1000;
        times.push(PhaseTime { what: "between trials", seconds });
    }
    times
}

fn grid(found: &[ResultRow]) -> Table {
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
