//! A comparison on a terminal.

use super::{
    finding::Layout,
    screen::{Screen, columns, pad},
};
use crate::{
    format::plain,
    status::Status,
    verdict::{BarLegend, ResultRow, SectionKind, Verdicts},
    words::{MetricMargins, TOLERATED, UNCHANGED},
};

impl Verdicts {
    /// The judgement for a terminal: the verdict first. `page` is where the rest is listed.
    pub fn text(&self, screen: Screen, page: &str) -> String {
        let headline = format!("{}: {}", self.outcome, plain(&self.headline));
        let mut text = match self.outcome {
            word if word == Status::Failed.word() => screen.bad(&headline),
            word if word == Status::Passed.word() => screen.good(&headline),
            _ => screen.bold(&headline),
        };
        text += &format!("\nhead: {}\nbase: {}\n", self.head.line(), self.base.line());
        if self.same_code {
            text.push_str("Base and head are the same code: an A/A comparison.\n");
        }
        if let Some(sentence) = &self.rests_on {
            text += &screen.words(&plain(sentence), 2);
        }
        for note in &self.notes {
            text += &screen.words(&format!("note: {}", plain(note)), 2);
        }
        text += &self.findings(screen, page);
        if !self.warnings.is_empty() || !self.differences.is_empty() {
            text.push('\n');
        }
        for line in &self.warnings {
            text += &screen.words(&format!("warning: {}", plain(line)), 2);
        }
        for line in &self.differences {
            text += &screen.words(&format!("differs besides the change: {}", plain(line)), 2);
        }
        text + &self.end(screen)
    }

    fn findings(&self, screen: Screen, page: &str) -> String {
        let shown = || self.sections.iter().filter(|one| one.kind != SectionKind::Unchanged);
        let rows: Vec<&ResultRow> = shown().flat_map(|section| &section.found).collect();
        let layout = Layout::of(&rows, screen);
        let mut text = String::new();
        // Only the bars that stand here: the pages have those of what is unchanged, too.
        if let Some(legend) = BarLegend::of(rows.iter().filter_map(|row| row.bar.as_ref())) {
            text = format!("\n{}", screen.words(&legend.text.replace('`', ""), 2));
        }
        text.extend(shown().map(|section| layout.section(section, screen, page)));
        let rest = self.sections.iter().filter(|one| one.kind == SectionKind::Unchanged);
        for section in rest {
            let line = format!("{} {}: listed in {page}", section.count, section.title);
            text += &format!("\n{}", screen.words(&line, 2));
        }
        text
    }

    fn end(&self, screen: Screen) -> String {
        let mut text = format!("\n{}\n", screen.bold("How to read this"));
        text += &screen.words(self.brackets, 2);
        for line in &self.definitions {
            text += &screen.words(line, 2);
        }
        text += &screen.words(self.terms, 2);
        text += &margins(&self.margins, screen);
        let times: Vec<String> =
            self.times.iter().map(|spent| format!("{} {} s", spent.what, spent.seconds)).collect();
        let how = format!("{}. Time: {}.", plain(&self.extent), times.join(", "));
        text += &format!("\n{}\n{}", screen.bold("How it was measured"), screen.words(&how, 2));
        text + &format!(
            "\n{}\n{}",
            screen.bold("Measure it again"),
            screen.command(&plain(&self.again))
        )
    }
}

/// What is tolerated and what is ruled out, a line for each pair.
fn margins(all: &[MetricMargins], screen: Screen) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n");
    for (tolerated, unchanged, metrics) in [(TOLERATED, UNCHANGED, "metric")]
        .into_iter()
        .chain(all.iter().map(|row| (&*row.tolerated, &*row.unchanged, &*row.metrics)))
    {
        let numbers = format!(
            "{}  {}  ",
            pad(tolerated, columns(TOLERATED), true),
            pad(unchanged, columns(UNCHANGED), true)
        );
        text += &screen.words(&format!("{numbers}{}", plain(metrics)), columns(&numbers));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::screen::columns;
    use shakedown_protocol::fixture::comparison::comparison;

    const PAGE: &str = "runs/pr-7/report.html";
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
        let text = verdicts().text(Screen::new(Some(80), false), PAGE);
        assert!(text.lines().all(|line| columns(line) <= 80), "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn wide() {
        let text = verdicts().text(Screen::new(Some(160), false), PAGE);
        assert!(text.lines().all(|line| columns(line) <= 160), "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn without_any_estimate_there_are_no_values_and_the_headline_says_what_it_rests_on() {
        let (record, judgement) = crate::verdict::disturbed::disturbed();
        let verdicts = Verdicts::new(&judgement, &record, None);
        let text = verdicts.text(Screen::new(Some(80), false), PAGE);
        assert_eq!(text.matches(" → ").count(), 1, "only the count has values: {text}");
        assert_eq!(text.matches("could not be judged").count(), 1, "one reason: {text}");
        assert_eq!(text.matches("all 4 blocks").count(), 1, "the noise is told once: {text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn a_margin_of_nothing_is_explained_where_there_is_one() {
        let (record, mut judgement) = crate::verdict::disturbed::disturbed();
        let text = |judgement: &shakedown_gate::Judgement| {
            Verdicts::new(judgement, &record, None).text(Screen::new(None, false), PAGE)
        };
        assert!(!text(&judgement).contains("a single │"));
        for found in &mut judgement.comparisons {
            found.settings.margin = 0.0;
        }
        let told = text(&judgement);
        assert!(told.contains("a single │") && !told.contains("the two │"), "{told}");
    }

    #[test]
    fn coloured() {
        for width in [80, 160] {
            let text = verdicts().text(Screen::new(Some(width), true), PAGE);
            insta::assert_snapshot!(format!("coloured_{width}"), text.replace('\u{1b}', "␛"));
        }
    }
}
