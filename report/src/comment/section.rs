//! The findings of a comment, as far as they are shown.

use super::limit::start;
use crate::verdict::{BarLegend, ResultRow, Section, SectionKind, Unjudged};
use serde::Serialize;

/// Rows of a kind that are shown outside of a fold; the others are folded.
const UNFOLDED_ROWS: usize = 10;

/// Characters of a reason.
const REASON: usize = 300;

/// Findings of one kind, as far as they are shown.
#[derive(Debug, Serialize)]
pub(super) struct CommentSection {
    title: String,
    /// Whether each row says why.
    reasons: bool,
    found: Vec<ResultRow>,
    hidden: usize,
    unjudged: Vec<CommentUnjudged>,
    /// How many there are, hidden ones and all.
    count: usize,
    /// What the bars mean, above the first of them.
    legend: Option<BarLegend>,
    /// What several findings have in common.
    common: Vec<String>,
}

/// Findings without an estimate, as far as they are listed.
#[derive(Debug, Serialize)]
struct CommentUnjudged {
    #[serde(flatten)]
    listed: Unjudged,
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
    pub(super) fn new(sections: &[Section], limit: usize) -> Self {
        let folded_limit = if limit == usize::MAX { limit } else { 0 };
        let mut found = Self::default();
        for section in sections {
            let rows = section.found.as_slice();
            if section.folded {
                found.fold(CommentSection::whole(section, rows, folded_limit));
                continue;
            }
            let (first, rest) = rows.split_at(rows.len().min(UNFOLDED_ROWS));
            found.open.push(CommentSection::whole(section, first, limit));
            if !rest.is_empty() {
                let title = format!("more {}", section.title);
                let limit = limit.saturating_sub(UNFOLDED_ROWS);
                found.folded.push(CommentSection::new(section, &title, rest, limit));
            }
        }
        found
    }

    /// A section without rows is counted in the headline.
    fn fold(&mut self, section: CommentSection) {
        if !section.found.is_empty() || !section.unjudged.is_empty() {
            self.folded.push(section);
        }
    }
}

/// Metrics that did not change.
pub(super) fn unchanged(sections: &[Section]) -> usize {
    let unchanged = sections.iter().filter(|section| section.kind == SectionKind::Unchanged);
    unchanged.map(|section| section.count).sum()
}

impl CommentSection {
    /// A section under its own title, with what has no estimate.
    fn whole(section: &Section, found: &[ResultRow], limit: usize) -> Self {
        let short = |group: &Unjudged| {
            let hidden = group.scenarios.len().saturating_sub(limit);
            let mut listed = Unjudged { why: start(&group.why, REASON), ..group.clone() };
            listed.scenarios.truncate(limit);
            CommentUnjudged { listed, hidden }
        };
        let unjudged = section.unjudged.iter().map(short).collect();
        let (legend, common) = (section.legend.clone(), section.common.clone());
        let one = Self::new(section, section.title, found, limit);
        Self { unjudged, count: section.count, legend, common, ..one }
    }

    fn new(section: &Section, title: &str, found: &[ResultRow], limit: usize) -> Self {
        let short = |row: &ResultRow| ResultRow { why: start(&row.why, REASON), ..row.clone() };
        Self {
            title: title.to_owned(),
            reasons: section.reasons,
            found: found.iter().take(limit).map(short).collect(),
            hidden: found.len().saturating_sub(limit),
            unjudged: Vec::new(),
            count: found.len(),
            legend: None,
            common: Vec::new(),
        }
    }
}
