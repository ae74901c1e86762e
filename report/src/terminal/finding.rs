//! A finding on a terminal: on one line where there is room, on three where there is not.

use super::screen::{Screen, bracketed, columns, pad};
use crate::{
    format::{capital, plain},
    verdict::{ResultRow, Section, SectionKind, Unjudged, bar},
};

/// How wide the columns are, and whether a finding fits on one line.
pub(super) struct Layout {
    name: usize,
    measured: usize,
    values: usize,
    change: usize,
    one_line: bool,
}

fn name(row: &ResultRow) -> String {
    format!("{}, {}", plain(&row.scenario), row.side)
}

/// Base, head, and what a count moved by.
fn values(row: &ResultRow) -> String {
    let both = format!("{} → {}", row.base, row.head);
    if row.moved.is_empty() { both } else { format!("{both} ({})", row.moved) }
}

fn change(row: &ResultRow) -> String {
    bracketed(&row.change, &row.interval)
}

fn limit(row: &ResultRow) -> String {
    row.bar.as_ref().map_or_else(String::new, |bar| bar.label.clone())
}

/// What has no estimate: named one by one only where somebody has to act on each.
fn unjudged(group: &Unjudged, screen: Screen, page: &str) -> String {
    if !group.what.is_empty() {
        let (what, why) = (plain(&group.what), plain(&group.why));
        return screen.words(&format!("{what}; listed in {page}. {why}."), 2);
    }
    let mut text = screen.words(&format!("{}:", plain(&group.why)), 4);
    for one in &group.scenarios {
        text += &screen.words(&format!("{GAP}{}: {}", plain(&one.scenario), one.what), 4);
    }
    text
}

/// Spaces between columns, and before the further lines of a finding.
const GAP: &str = "  ";

impl Layout {
    pub(super) fn of(rows: &[&ResultRow], screen: Screen) -> Self {
        let widest = |of: fn(&ResultRow) -> String| {
            rows.iter().map(|row| columns(&of(row))).max().unwrap_or(0)
        };
        let (name, measured, values, change, limit) = (
            widest(name),
            widest(|row| row.measured.clone()),
            widest(values),
            widest(change),
            widest(limit),
        );
        let whole = name + measured + values + change + columns(bar::HEADING) + limit;
        Self { name, measured, values, change, one_line: screen.fits(whole + 5 * GAP.len()) }
    }

    pub(super) fn section(&self, section: &Section, screen: Screen, page: &str) -> String {
        let title = capital(section.title);
        let before = if self.one_line {
            self.name + self.measured + self.values + self.change + 4 * GAP.len()
        } else {
            self.change + 2 * GAP.len()
        };
        let heading =
            if section.found.iter().any(|row| row.bar.is_some()) { bar::HEADING } else { "" };
        let mut text = format!("\n{}", screen.bold(&title));
        if section.common.is_empty() && columns(&title) < before {
            text += &" ".repeat(before - columns(&title));
        } else if !heading.is_empty() {
            // What is wider than that which stands before the bars has lines of its own.
            text.push('\n');
            let common = section.common.iter().map(|sentence| screen.words(&plain(sentence), 2));
            text += &(common.collect::<String>() + &" ".repeat(before));
        }
        text = (text + heading).trim_end().to_owned() + "\n";
        let mut said = "";
        for row in &section.found {
            if section.reasons && said != row.why {
                said = &row.why;
                text += &screen.words(&format!("{}:", capital(&plain(said))), 4);
            }
            text += &self.row(section, row, screen);
        }
        let unjudged = section.unjudged.iter().map(|group| unjudged(group, screen, page));
        text + &unjudged.collect::<String>()
    }

    fn row(&self, section: &Section, row: &ResultRow, screen: Screen) -> String {
        let mut text = if self.one_line {
            let values = pad(&values(row), self.values, true);
            [pad(&name(row), self.name, false), pad(&row.measured, self.measured, false), values]
                .join(GAP)
        } else {
            screen.words(&name(row), 4)
                + &screen.words(&format!("{GAP}{}: {}", row.measured, values(row)), 4)
        };
        let change = pad(&change(row), self.change, true);
        let change = match section.kind {
            SectionKind::Regressed | SectionKind::Broken => screen.bad(&change),
            SectionKind::Improved => screen.good(&change),
            _ => change,
        };
        text = text + GAP + &change;
        if let Some(bar) = &row.bar {
            text = text + GAP + &bar.text + GAP + &bar.label;
        }
        text = text.trim_end().to_owned() + "\n";
        if section.reasons && !row.minimum_detectable_effect.is_empty() {
            let least = &row.minimum_detectable_effect;
            text +=
                &screen.words(&format!("{GAP}a regression of {least} would have been detected"), 4);
        }
        text
    }
}
