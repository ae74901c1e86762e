//! What the findings of a comparison have in common, in the order in which they are told.

use super::{bar::BarLegend, below, cause, row::ResultRow, united::united, unjudged::Unjudged};
use crate::words;
use serde::Serialize;
use shakedown_gate::{Comparison, Verdict};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

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
    pub(super) fn of(found: &Comparison) -> Option<Self> {
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

    /// Whether only who asks sees the findings: nothing follows from them.
    const fn is_folded(self) -> bool {
        matches!(self, Self::Accepted | Self::ReportedOnly | Self::Unchanged)
    }

    /// Whether the gate found a change.
    const fn is_change(self) -> bool {
        matches!(self, Self::Regressed | Self::Improved)
    }

    /// Whether the reader of such a finding wants to know why.
    const fn has_reasons(self) -> bool {
        matches!(self, Self::Broken | Self::Missing | Self::Accepted | Self::Inconclusive)
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
    /// Whether it is only shown to who asks for it.
    pub folded: bool,
    /// Whether the reader wants to know why.
    pub reasons: bool,
    /// One a scenario, side and metric, the largest change first.
    pub found: Vec<ResultRow>,
    /// Those without an estimate of a change, where the reader wants to know why.
    pub unjudged: Vec<Unjudged>,
    /// How many there are of both.
    pub count: usize,
    /// What the bars mean, above the first that a reader meets.
    pub legend: Option<BarLegend>,
    /// What several findings have in common that may be one cause, and whether it is in TLS or below.
    pub common: Vec<String>,
}

impl Section {
    /// Everything that was asked, by kind, the worst first; within a kind the largest change first.
    /// `noise_told` is whether the reader knows already that the host disturbed all blocks.
    pub(super) fn all(comparisons: &[Comparison], noise_told: bool) -> Vec<Self> {
        let all = comparisons.iter().map(|found| found.scenario).collect::<BTreeSet<_>>().len();
        let mut by_kind: BTreeMap<SectionKind, Vec<ResultRow>> = BTreeMap::new();
        for found in united(comparisons) {
            if let Some(kind) = SectionKind::of(&found) {
                let mut row = ResultRow::of(&found);
                let host = words::disturbances(&found).filter(|_| noise_told);
                row.why = host.unwrap_or(row.why);
                by_kind.entry(kind).or_default().push(row);
            }
        }
        let mut sections: Vec<Self> =
            by_kind.into_iter().map(|(kind, found)| Self::new(kind, found, all)).collect();
        for section in sections.iter_mut().filter(|section| section.kind.is_change()) {
            section.common.extend(below::tls_or_below(section.kind, comparisons));
        }
        let barred = |section: &Self| section.found.iter().any(|row| row.bar.is_some());
        let open = sections.iter().position(|section| !section.folded && barred(section));
        if let Some(place) = open.or_else(|| sections.iter().position(barred)) {
            let rows = sections.iter().flat_map(|section| &section.found);
            let legend = BarLegend::of(rows.filter_map(|row| row.bar.as_ref()));
            sections[place].legend = legend;
        }
        sections
    }

    fn new(kind: SectionKind, mut found: Vec<ResultRow>, all: usize) -> Self {
        // What did not change stays in the order of the plan, where a reader looks for a scenario.
        if kind != SectionKind::Unchanged {
            found.sort_by_key(|row| Reverse(row.size()));
        }
        let count = found.len();
        let mut unjudged = Vec::new();
        if kind.has_reasons() {
            together(&mut found);
            unjudged = Unjudged::take(kind, &mut found, all);
        }
        let common = if kind.is_change() { cause::common(kind, &found) } else { Vec::new() };
        Self {
            kind,
            common,
            title: kind.title(),
            folded: kind.is_folded(),
            reasons: kind.has_reasons(),
            found,
            unjudged,
            count,
            legend: None,
        }
    }
}

/// Puts findings with the same reason next to each other, so that it is said once. What comes first
/// stays first.
fn together(found: &mut [ResultRow]) {
    let mut order: Vec<String> = Vec::new();
    for row in found.iter() {
        if !order.contains(&row.why) {
            order.push(row.why.clone());
        }
    }
    found.sort_by_key(|row| order.iter().position(|why| *why == row.why));
}
