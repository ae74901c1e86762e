//! A comparison on a terminal.

use super::screen::{Screen, bracketed, columns, pad};
use crate::{
    format::{capital, plain},
    status::Status,
    verdict::{ResultRow, Section, SectionKind, Unjudged, Verdicts, bar},
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
        if let Some(sentence) = &self.rests_on {
            text += &screen.words(&plain(sentence), 2);
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
        let mut text: String = shown().map(|section| layout.section(section, screen)).collect();
        let rest = self.sections.iter().filter(|one| one.kind == SectionKind::Unchanged);
        for section in rest {
            text += &format!("\n{} {}: listed in report.html\n", section.count, section.title);
        }
        text
    }

    fn end(&self, screen: Screen, text: &mut String) {
        *text += &screen.words(self.brackets, 2);
        *text += &screen.words(self.definitions, 2);
        let margins: Vec<String> = self
            .margins
            .iter()
            .map(|row| format!("{} and {} for {}", row.first, row.second, row.metrics))
            .collect();
        if !margins.is_empty() {
            *text += &screen.words(&format!("First and second margin: {}.", margins.join("; ")), 2);
        }
        *text += &screen.words(self.terms, 2);
        let times: Vec<String> =
            self.times.iter().map(|spent| format!("{} {} s", spent.what, spent.seconds)).collect();
        *text += &screen.words(&format!("{}. Time: {}.", plain(&self.extent), times.join(", ")), 2);
        let _ = writeln!(text, "Measure it again:\n  {}", plain(&self.again));
    }
}

/// How wide the columns are, and whether a finding fits on one line.
struct Layout {
    name: usize,
    values: usize,
    change: usize,
    show: fn(&ResultRow) -> String,
    margin: bool,
    one_line: bool,
    /// Whether some margin is nothing.
    no_margin: bool,
}

fn name(row: &ResultRow) -> String {
    format!("{} {} {}", plain(&row.scenario), row.side, row.measured)
}

fn values(row: &ResultRow) -> String {
    format!("{} → {}", row.base, row.head)
}

fn change(row: &ResultRow) -> String {
    bracketed(&row.change, &row.interval)
}

/// What a count moved by, behind both values, where there is room for it.
fn moved(row: &ResultRow) -> String {
    match row.moved.as_str() {
        "" => values(row),
        moved => format!("{} ({moved})", values(row)),
    }
}

fn margin(row: &ResultRow) -> String {
    row.bar.as_ref().map_or_else(String::new, |bar| bar.label.clone())
}

const NO_MARGIN: &str = " A single │ is a margin of 0 %.";

const LEGEND: &str = "Bars: ● is the change, ── its interval if that is wide enough to draw, and the two │ mark the \
                      first margin. Left of the margin is worse and right of it better, for every metric. Beyond the \
                      margin the scale is logarithmic.";

/// What has no estimate: named one by one only where somebody has to act on each.
fn unjudged(group: &Unjudged, screen: Screen) -> String {
    if !group.what.is_empty() {
        let (what, why) = (plain(&group.what), plain(&group.why));
        return screen.words(&format!("{what}; listed in report.html. {why}."), 2);
    }
    let mut text = screen.words(&format!("{}:", plain(&group.why)), 4);
    for one in &group.scenarios {
        text += &screen.words(&format!("{GAP}{}: {}", plain(&one.scenario), one.what), 4);
    }
    text
}

/// Spaces between columns, and before the second line of a finding.
const GAP: &str = "  ";

impl Layout {
    fn of(rows: &[&ResultRow], screen: Screen) -> Self {
        let widest = |of: fn(&ResultRow) -> String| {
            rows.iter().map(|row| columns(&of(row))).max().unwrap_or(0)
        };
        let (name, change) = (widest(name), widest(change));
        let whole = |show| name + widest(show) + change + columns(bar::HEADING) + 3 * GAP.len();
        let one_line = screen.fits(whole(moved)) || screen.fits(whole(values));
        let beside = if one_line { 0 } else { name };
        let show: fn(&ResultRow) -> String =
            if screen.fits(whole(moved) - beside) { moved } else { values };
        let (values, whole) = (widest(show), whole(show));
        // The margins are said below, too.
        let margin = whole + GAP.len() + widest(margin);
        let mut bars = rows.iter().filter_map(|row| row.bar.as_ref());
        let no_margin = bars.any(|bar| bar.margin[0] == bar.margin[1]);
        Self { name, values, change, show, margin: screen.fits(margin), one_line, no_margin }
    }

    fn section(&self, section: &Section, screen: Screen) -> String {
        let title = capital(section.title);
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
                text += &screen.words(&format!("{}:", capital(&plain(said))), 4);
            }
            text += &self.row(section, row, screen);
        }
        text += &section.unjudged.iter().map(|group| unjudged(group, screen)).collect::<String>();
        if section.legend {
            let more = if self.no_margin { NO_MARGIN } else { "" };
            text += &screen.words(&format!("{LEGEND}{more}"), 2);
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
        text += &[pad(&(self.show)(row), self.values, true), change].join(GAP);
        if let Some(bar) = &row.bar {
            text = text + GAP + &bar.text;
        }
        if self.margin && row.bar.is_some() {
            text = text + GAP + &margin(row);
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
        let (findings, _) = text.split_once("Measure it again:").unwrap();
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
    fn without_any_estimate_there_are_no_values_and_the_headline_says_what_it_rests_on() {
        let (record, judgement) = crate::verdict::disturbed::disturbed();
        let text = Verdicts::new(&judgement, &record, None).text(Screen::new(Some(80), false));
        assert_eq!(text.matches('→').count(), 1, "only the count has values: {text}");
        assert_eq!(text.matches("could not be judged").count(), 1, "one reason: {text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_margin_of_nothing_is_explained_where_there_is_one() {
        let (record, mut judgement) = crate::verdict::disturbed::disturbed();
        let text = |judgement: &shakedown_gate::Judgement| {
            Verdicts::new(judgement, &record, None).text(Screen::new(None, false))
        };
        assert!(!text(&judgement).contains(NO_MARGIN));
        for found in &mut judgement.comparisons {
            found.settings.margin = 0.0;
        }
        assert!(text(&judgement).contains(NO_MARGIN));
    }

    #[test]
    fn coloured() {
        for width in [80, 160] {
            let text = verdicts().text(Screen::new(Some(width), true));
            insta::assert_snapshot!(format!("coloured_{width}"), text.replace('\u{1b}', "␛"));
        }
    }
}
