//! A comparison on a terminal.

use super::screen::{Screen, columns, pad};
use crate::{
    format::{plain, word_case},
    status::Status,
    verdict::{ResultRow, Section, SectionKind, Verdicts, bar},
};
use std::fmt::Write;

impl Verdicts {
    /// The judgement for a terminal: the verdict first.
    pub fn text(&self, screen: Screen) -> String {
        let headline = format!("{}: {}", self.outcome, plain(&self.headline));
        let mut text = match self.outcome {
            word if word == Status::Failed.word() => screen.bad(&headline),
            word if word == Status::Passed.word() => screen.good(&headline),
            _ => screen.bold(&headline),
        };
        text.push('\n');
        text += &screen.words(&format!("{} against {}", self.head.line(), self.base.line()), 2);
        if self.same_code {
            text.push_str("Base and head are the same code: an A/A comparison.\n");
        }
        for note in &self.notes {
            text += &screen.words(&format!("note: {}", plain(note)), 2);
        }
        text += &self.findings(screen);
        text.push('\n');
        for line in &self.warnings {
            text += &screen.words(&format!("warning: {}", plain(line)), 2);
        }
        for line in &self.differences {
            text += &screen.words(&format!("differs besides the change: {}", plain(line)), 2);
        }
        self.end(screen, &mut text);
        text
    }

    fn findings(&self, screen: Screen) -> String {
        let shown = || self.sections.iter().filter(|one| one.kind != SectionKind::Unchanged);
        let rows: Vec<&ResultRow> = shown().flat_map(|section| &section.found).collect();
        let layout = Layout::of(&rows, screen);
        shown().map(|section| layout.section(section, screen)).collect()
    }

    fn end(&self, screen: Screen, text: &mut String) {
        *text += &screen.words(self.brackets, 2);
        if let Some(margins) = &self.margins {
            *text += &screen.words(margins, 2);
        }
        if self.sections.iter().any(|section| section.kind != SectionKind::Unchanged) {
            *text += &screen.words(
                "Bars: ──●── is the change and its interval; beyond the margin, marked by │, each doubling takes \
                 the same room. Left is worse, right is better, whatever the metric.",
                2,
            );
        }
        let times: Vec<String> =
            self.times.iter().map(|spent| format!("{} {} s", spent.what, spent.seconds)).collect();
        *text += &screen.words(&format!("{}. Time: {}.", plain(&self.extent), times.join(", ")), 2);
        let _ = writeln!(text, "The same again:\n  {}", plain(&self.again));
    }
}

/// How wide the columns are, and whether a finding fits on one line.
struct Layout {
    name: usize,
    values: usize,
    change: usize,
    margin: bool,
    one_line: bool,
}

fn name(row: &ResultRow) -> String {
    format!("{} {} {}", plain(&row.scenario), row.side, row.measured)
}

fn values(row: &ResultRow) -> String {
    format!("{} → {}", row.base, row.head)
}

fn change(row: &ResultRow) -> String {
    match row.interval.as_str() {
        "" => row.change.clone(),
        interval => format!("{} [{interval}]", row.change),
    }
}

fn margin(row: &ResultRow) -> String {
    format!("margin {}", row.margin)
}

/// Spaces between columns, and before the second line of a finding.
const GAP: &str = "  ";

impl Layout {
    fn of(rows: &[&ResultRow], screen: Screen) -> Self {
        let widest = |of: fn(&ResultRow) -> String| {
            rows.iter().map(|row| columns(&of(row))).max().unwrap_or(0)
        };
        let (name, values, change) = (widest(name), widest(values), widest(change));
        let whole = name + values + change + columns(bar::HEADING) + 3 * GAP.len();
        // The margins are said below, too.
        let margin = whole + GAP.len() + widest(margin);
        Self { name, values, change, margin: screen.fits(margin), one_line: screen.fits(whole) }
    }

    fn section(&self, section: &Section, screen: Screen) -> String {
        let title = word_case(section.title);
        let before = self.values + self.change + 2 * GAP.len();
        let before = before + if self.one_line { self.name + GAP.len() } else { GAP.len() };
        let heading =
            if section.found.iter().any(|row| row.bar.is_some()) { bar::HEADING } else { "" };
        // A title that is wider than what stands before the bars has a line of its own.
        let mut text = format!("\n{}", screen.bold(&title));
        if columns(&title) < before {
            text += &" ".repeat(before - columns(&title));
        } else if !heading.is_empty() {
            text = text + "\n" + &" ".repeat(before);
        }
        text = (text + heading).trim_end().to_owned() + "\n";
        let mut said = "";
        for row in &section.found {
            if section.reasons && said != row.why {
                said = &row.why;
                text += &screen.words(&format!("because {}:", plain(said)), 4);
            }
            text += &self.row(section, row, screen);
        }
        text
    }

    fn row(&self, section: &Section, row: &ResultRow, screen: Screen) -> String {
        let mut text = if self.one_line {
            pad(&name(row), self.name, false) + GAP
        } else {
            screen.words(&name(row), 4) + GAP
        };
        let change = pad(&change(row), self.change, true);
        let change = match section.kind {
            SectionKind::Regressed | SectionKind::Broken => screen.bad(&change),
            SectionKind::Improved => screen.good(&change),
            _ => change,
        };
        text += &[pad(&values(row), self.values, true), change].join(GAP);
        if let Some(bar) = &row.bar {
            text = text + GAP + &bar.text;
        }
        if self.margin && row.bar.is_some() {
            text = text + GAP + &margin(row);
        }
        text = text.trim_end().to_owned() + "\n";
        if section.reasons && !row.minimum_detectable_effect.is_empty() {
            let least = &row.minimum_detectable_effect;
            text += &screen.words(&format!("{GAP}a loss of {least} would have been found"), 4);
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_protocol::fixture::comparison::comparison;

    const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
    const TICKET: &str = "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256";
    const BULK: &str = "bulk/tls1.3/aes256-gcm/x25519mlkem768/ecdsa-p256/write-16KiB";

    fn verdicts() -> Verdicts {
        let mut record =
            comparison(&[(FULL, [1.0, 0.93]), (TICKET, [1.0, 0.985]), (BULK, [1.08, 1.0])]);
        record.calibration = None;
        record.host.fit = false;
        let policy = shakedown_gate::Policy::shipped().unwrap();
        let judgement = shakedown_gate::judge(&record, &policy).unwrap();
        Verdicts::new(&judgement, &record, Some(12))
    }

    #[test]
    fn narrow() {
        let text = verdicts().text(Screen::new(Some(80), false));
        // A command stays on one line, so that it can be copied.
        let (findings, _) = text.split_once("The same again:").unwrap();
        assert!(findings.lines().all(|line| columns(line) <= 80), "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn wide() {
        let text = verdicts().text(Screen::new(Some(160), false));
        assert!(text.lines().all(|line| columns(line) <= 160), "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn coloured() {
        for width in [80, 160] {
            let text = verdicts().text(Screen::new(Some(width), true));
            insta::assert_snapshot!(format!("coloured_{width}"), text.replace('\u{1b}', "␛"));
        }
    }
}
