//! The findings of a comment, as far as they are shown.

use super::limit::start;
use crate::verdict::{ResultRow, Section, SectionKind};
use serde::Serialize;
use std::cmp::Reverse;

/// Rows of a kind that are shown outside of a fold; the others are folded.
const UNFOLDED_ROWS: usize = 10;

/// Characters of a reason.
const REASON: usize = 300;

/// Findings of one kind, as far as they are shown.
#[derive(Debug, Serialize)]
pub(super) struct CommentSection {
    title: String,
    /// Whether the changes are what the reader looks for.
    emphasize: bool,
    /// Whether each row says why.
    reasons: bool,
    found: Vec<CommentRow>,
    hidden: usize,
}

/// The sections of a comment.
#[derive(Debug, Default)]
pub(super) struct Sections {
    pub(super) open: Vec<CommentSection>,
    pub(super) folded: Vec<CommentSection>,
}

impl Sections {
    /// At most `limit` rows of each kind; beyond `usize::MAX`, what needs no reader is only counted.
    pub(super) fn new(sections: &[Section], unchanged: &[ResultRow], limit: usize) -> Self {
        let folded_limit = if limit == usize::MAX { limit } else { 0 };
        let mut found = Self::default();
        for section in sections {
            let (kind, rows) = (section.kind, largest_first(&section.found));
            if !is_open(kind) {
                found.fold(CommentSection::new(kind, kind.title(), &rows, folded_limit));
                continue;
            }
            let (first, rest) = rows.split_at(rows.len().min(UNFOLDED_ROWS));
            found.open.push(CommentSection::new(kind, kind.title(), first, limit));
            if !rest.is_empty() {
                let title = format!("more {}", kind.title());
                let limit = limit.saturating_sub(UNFOLDED_ROWS);
                found.folded.push(CommentSection::new(kind, &title, rest, limit));
            }
        }
        let (kind, rows): (_, Vec<&ResultRow>) =
            (SectionKind::Unchanged, unchanged.iter().collect());
        found.fold(CommentSection::new(kind, kind.title(), &rows, folded_limit));
        found
    }

    /// A section without rows is counted in the headline.
    fn fold(&mut self, section: CommentSection) {
        if !section.found.is_empty() {
            self.folded.push(section);
        }
    }
}

/// Whether findings of a kind are shown outside of a fold.
const fn is_open(kind: SectionKind) -> bool {
    match kind {
        SectionKind::Broken
        | SectionKind::Missing
        | SectionKind::Regressed
        | SectionKind::Improved
        | SectionKind::Inconclusive => true,
        SectionKind::Accepted | SectionKind::ReportedOnly | SectionKind::Unchanged => false,
    }
}

/// Whether the reader of such a finding wants to know why.
const fn has_reasons(kind: SectionKind) -> bool {
    match kind {
        SectionKind::Broken
        | SectionKind::Missing
        | SectionKind::Accepted
        | SectionKind::Inconclusive => true,
        SectionKind::Regressed
        | SectionKind::Improved
        | SectionKind::ReportedOnly
        | SectionKind::Unchanged => false,
    }
}

impl CommentSection {
    fn new(kind: SectionKind, title: &str, found: &[&ResultRow], limit: usize) -> Self {
        Self {
            title: title.to_owned(),
            emphasize: is_open(kind),
            reasons: has_reasons(kind),
            found: found.iter().take(limit).map(|row| CommentRow::new(row)).collect(),
            hidden: found.len().saturating_sub(limit),
        }
    }
}

/// One finding.
#[derive(Debug, Serialize)]
pub(super) struct CommentRow {
    /// First part of the scenario's id; the whole breaks in the wrong places.
    kind: String,
    /// The other parts.
    way: String,
    /// Side and metric with its unit.
    what: String,
    base: String,
    head: String,
    change: String,
    interval: String,
    margin: String,
    minimum_detectable_effect: String,
    why: String,
}

impl CommentRow {
    fn new(line: &ResultRow) -> Self {
        let ResultRow { scenario, side, metric, unit, .. } = line.clone();
        // "handshakes, handshakes/s" says it twice.
        let metric = if unit.starts_with(&metric) { unit } else { format!("{metric}, {unit}") };
        let (kind, way) = scenario.split_once('/').unwrap_or((&scenario, ""));
        Self {
            kind: kind.to_owned(),
            way: way.to_owned(),
            what: format!("{side} {metric}"),
            base: line.base.clone(),
            head: line.head.clone(),
            change: line.change.clone(),
            interval: line.interval.clone(),
            margin: line.margin.clone(),
            minimum_detectable_effect: line.minimum_detectable_effect.clone(),
            why: start(&line.why, REASON),
        }
    }
}

/// The largest change first.
fn largest_first(found: &[ResultRow]) -> Vec<&ResultRow> {
    // In hundredths of a percent: what is closer than that stays in the order of the plan.
    let size = |change: Option<f64>| change.map_or(u64::MAX, |share| (share.abs() * 1e4) as u64);
    let mut found: Vec<&ResultRow> = found.iter().collect();
    found.sort_by_key(|row| Reverse(size(row.change_share)));
    found
}
