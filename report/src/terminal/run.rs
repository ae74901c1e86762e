//! A run on a terminal: the result in a sentence, the numbers, and what must not be overlooked.

use super::{
    numbers::{GAP, coloured, factor, in_table, numbers},
    screen::{Screen, bracketed, columns, pad},
};
use crate::{
    format::plain,
    model::{FamilyMean, Report},
};
use std::fmt::Write;

impl Report {
    /// The report for a terminal. `page` is where the rest is listed.
    pub fn text(&self, screen: Screen, page: &str) -> String {
        if let Some(verdicts) = &self.verdict {
            return verdicts.text(screen, page);
        }
        let mut text = String::new();
        for sentence in &self.lead {
            text += &screen.bold(&screen.words(&plain(sentence), 2));
        }
        for note in &self.notes {
            text += &screen.words(&format!("note: {}", plain(note)), 2);
        }
        text += &means(self, screen);
        text += &numbers(self, screen);
        text.push('\n');
        notes(self, screen, page, &mut text);
        text
    }
}

/// The geometric means: of two subjects a line a family, of more a line a subject below it.
fn means(report: &Report, screen: Screen) -> String {
    let [first, others @ ..] = report.subjects.as_slice() else { return String::new() };
    if report.families.is_empty() {
        return String::new();
    }
    let name = |mean: &FamilyMean| {
        format!("{}, {} ({} sides)", plain(&mean.family), mean.measured, mean.sides)
    };
    let widest = match others {
        [_] => report.families.iter().map(|mean| columns(&name(mean))).max(),
        _ => others.iter().map(|other| columns(&plain(&other.name))).max(),
    };
    let widest = widest.unwrap_or(0);
    let title = match others {
        [other] => format!("{} against {}, geometric means", other.name, first.name),
        _ => format!("Against {}, geometric means", first.name),
    };
    let mut text = format!("\n{}", screen.bold(&screen.words(&plain(&title), 2)));
    for mean in &report.families {
        if others.len() > 1 {
            let _ = writeln!(text, "{GAP}{}", name(mean));
        }
        for one in &mean.factors {
            let (indent, what) = match others {
                [_] => (GAP.to_owned(), name(mean)),
                _ => (GAP.repeat(2), plain(&one.subject)),
            };
            let factor = coloured(one.direction, &factor(one), screen);
            let _ = writeln!(text, "{indent}{}{GAP}{factor}", pad(&what, widest, false));
        }
    }
    text
}

/// What stands below the table: slopes, gaps, warnings.
fn notes(report: &Report, screen: Screen, page: &str, text: &mut String) {
    let mut say = |line: String| *text += &screen.words(&line, 2);
    if report.subjects.len() > 1 {
        let first = plain(&report.subjects[0].name);
        say(format!("A factor above 1 is better than {first}, for every metric."));
    }
    if !report.coverage.is_empty() {
        say(report.coverage.clone());
    }
    for memory in report.memory.iter().filter(|memory| memory.text != "–") {
        let (subject, family) = (plain(&memory.subject), plain(&memory.family));
        let bytes = bracketed(&memory.text, &memory.interval);
        let warnings = memory.warnings.iter().map(|warning| format!("; {}", plain(warning)));
        let warnings: String = warnings.collect();
        say(format!("{subject}: {bytes} B for each further session, {family}{warnings}"));
    }
    for gap in &report.unsupported {
        let (subject, scenario) = (plain(&gap.subject), plain(&gap.scenario));
        say(format!("unsupported: {subject} {scenario}: {}", plain(&gap.reason)));
    }
    for one in &report.not_built {
        say(format!("not built: {}: {}", one.subject, plain(&one.error)));
        for line in &one.last_lines {
            say(format!("  {}", plain(line)));
        }
        if let Some(log) = &one.log {
            say(format!("  the whole log: {}", plain(log)));
        }
    }
    if !report.lost.is_empty() {
        say(format!("{} trials gave no number: see {page}", report.lost.len()));
    }
    let lines = report.groups.iter().flat_map(|group| &group.lines).filter(|line| in_table(line));
    let marked = lines.flat_map(|line| &line.cells).filter(|cell| cell.marked).count();
    if let Some(marks) = &report.marks {
        say(format!("{marks} For the warnings of each, see {page}."));
    }
    if marked > 0 {
        say(format!("* {marked} numbers have warnings: see {page}"));
    }
    for warning in &report.warnings {
        say(format!("warning: {}", plain(warning)));
    }
    say(format!("{}; run {}", plain(&report.host.line), plain(&report.id)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_summary::{fixture as made, summarize};

    const NAMES: [&str; 3] =
        ["rustls@0.23.46+jemalloc+lto", "openssl@3.5.5+distribution", "aws-lc@1.66.2"];

    fn report(subjects: usize) -> Report {
        let names = &NAMES[..subjects];
        let mut record = made::record(names, &[made::FULL, made::TICKET, made::BULK]);
        for block in 0..6 {
            let day = 1.0 + 0.01 * f64::from(block);
            for (place, name) in names.iter().enumerate() {
                let slow = 1.0 / (1.0 + place as f64);
                made::rate(&mut record, block, name, made::FULL, [4e3 * day * slow, 9e3 * slow]);
                made::rate(
                    &mut record,
                    block,
                    name,
                    made::TICKET,
                    [1.2e4 * day * slow, 1.1e4 * day],
                );
                made::rate(
                    &mut record,
                    block,
                    name,
                    made::BULK,
                    [6.1e3 * day, 4e3 * day * (2.0 - slow)],
                );
            }
        }
        Report::new(&record, &summarize(&record))
    }

    const PAGE: &str = "runs/nightly-7/report.html";

    #[test]
    fn a_run_on_screens_of_two_widths() {
        for (subjects, width) in [(2, 80), (2, 160), (3, 80), (3, 160)] {
            let text = report(subjects).text(Screen::new(Some(width), false), PAGE);
            assert!(text.lines().all(|line| columns(line) <= width), "{text}");
            insta::assert_snapshot!(format!("{subjects}_subjects_{width}"), text);
        }
    }

    #[test]
    fn a_coloured_run() {
        for width in [80, 160] {
            let text = report(2).text(Screen::new(Some(width), true), PAGE).replace('\u{1b}', "␛");
            insta::assert_snapshot!(format!("coloured_run_{width}"), text);
        }
    }

    #[test]
    fn a_file_has_each_row_on_one_line() {
        let text = report(3).text(Screen::new(None, false), PAGE);
        let row = "  client handshakes/s";
        let line = text.lines().find(|line| line.starts_with(row)).unwrap();
        assert_eq!(line.matches('×').count(), 2, "{line}");
    }
}
