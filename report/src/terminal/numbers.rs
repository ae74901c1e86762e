//! The numbers of a run in columns, as many as there is room for.

use super::screen::{Screen, bracketed, columns, pad};
use crate::{
    format::plain,
    model::{Cell, FactorCell, Line, Report},
};
use std::fmt::Write;

/// Spaces between columns.
pub(super) const GAP: &str = "  ";

/// Whole names may make a column this much wider than its numbers are.
const ROOM_FOR_NAMES: usize = 16;

/// The numbers, a group a scenario.
pub(super) fn numbers(report: &Report, screen: Screen) -> String {
    let lines = report.groups.iter().flat_map(|group| &group.lines).filter(|line| in_table(line));
    let rows: Vec<NumberRow<'_>> = lines.map(NumberRow::of).collect();
    let layout = Layout::of(report, &rows, screen);
    let mut text = String::from("\n");
    if let Some(legend) = &layout.legend {
        text += &screen.words(legend, 2);
        text.push('\n');
    }
    text += &layout.header(screen);
    let mut scenario = "";
    for row in &rows {
        if scenario != row.scenario {
            scenario = row.scenario;
            let _ = writeln!(text, "{}", plain(scenario));
        }
        text += &layout.row(row, screen);
    }
    text
}

/// Latencies and what else is many numbers for one thing stand in the reports only.
pub(super) fn in_table(line: &Line) -> bool {
    !line.metric.starts_with("latency")
}

/// A factor and its interval.
pub(super) fn factor(cell: &FactorCell) -> String {
    bracketed(&cell.text, &cell.interval)
}

/// A text in the colour of a direction.
pub(super) fn coloured(direction: &str, text: &str, screen: Screen) -> String {
    match direction {
        "better" => screen.good(text),
        "worse" => screen.bad(text),
        _ => text.to_owned(),
    }
}

/// One metric of a scenario side.
struct NumberRow<'a> {
    scenario: &'a str,
    /// Side, metric and unit.
    name: String,
    /// The number of each subject, and then the factor of each further subject, with its direction.
    fields: Vec<(String, &'static str)>,
}

impl<'a> NumberRow<'a> {
    fn of(line: &'a Line) -> Self {
        let cells = line.cells.iter().map(|one| (cell(one), ""));
        let factors = line.factors.iter().map(|one| (factor(one), one.direction));
        Self {
            scenario: &line.scenario,
            name: format!("{} {}", line.side, line.measured),
            fields: cells.chain(factors).collect(),
        }
    }
}

fn cell(cell: &Cell) -> String {
    let mark = if cell.marked { "*" } else { "" };
    bracketed(&cell.text, &cell.interval) + mark
}

/// Where the numbers of a row stand, from the widest form to the narrowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Behind the metric.
    Beside,
    /// On a line below the metric.
    Below,
    /// Each on a line of its own, behind the name of its subject.
    Listed,
}

struct Layout {
    form: Form,
    name: usize,
    widths: Vec<usize>,
    subjects: Vec<String>,
    /// What stands above the columns.
    headers: Vec<String>,
    /// What the letters above the columns stand for.
    legend: Option<String>,
}

impl Layout {
    /// The widest form that fits.
    fn of(report: &Report, rows: &[NumberRow<'_>], screen: Screen) -> Self {
        let subjects: Vec<String> = report.subjects.iter().map(|one| plain(&one.name)).collect();
        let letters: Vec<String> =
            report.subjects.iter().map(|subject| subject.letter.clone()).collect();
        let legend: Vec<String> = letters
            .iter()
            .zip(&subjects)
            .map(|(letter, name)| format!("{letter}: {name}"))
            .collect();
        let widths = (0..2 * subjects.len().max(1) - 1)
            .map(|at| rows.iter().filter_map(|row| Some(columns(&row.fields.get(at)?.0))).max())
            .map(|widest| widest.unwrap_or(0))
            .collect();
        let name = rows.iter().map(|row| columns(&row.name)).max().unwrap_or(0);
        let listed =
            Self { form: Form::Listed, name, widths, subjects, headers: Vec::new(), legend: None };
        let legend = Some(legend.join("   ")).filter(|_| listed.subjects.len() > 1);
        [Form::Beside, Form::Below]
            .into_iter()
            .find_map(|form| {
                let lettered = || listed.fitted(form, &letters, legend.clone(), screen);
                listed.fitted(form, &listed.subjects, None, screen).or_else(lettered)
            })
            .unwrap_or(listed)
    }

    /// This form under these headers, if it fits.
    fn fitted(
        &self,
        form: Form,
        names: &[String],
        legend: Option<String>,
        screen: Screen,
    ) -> Option<Self> {
        let first = names.first()?;
        let factors = names.iter().skip(1).map(|other| format!("{other} / {first}"));
        let headers: Vec<String> = names.iter().cloned().chain(factors).collect();
        let widths: Vec<usize> =
            self.widths.iter().zip(&headers).map(|(own, name)| columns(name).max(*own)).collect();
        let before = GAP.len() * 2 + if form == Form::Beside { self.name } else { 0 };
        let whole = before + widths.iter().sum::<usize>() + GAP.len() * (widths.len() - 1);
        let loose =
            widths.iter().zip(&self.widths).any(|(width, own)| *width > own + ROOM_FOR_NAMES);
        (screen.fits(whole) && !loose).then(|| Self {
            form,
            name: self.name,
            widths,
            subjects: self.subjects.clone(),
            headers,
            legend,
        })
    }

    fn header(&self, screen: Screen) -> String {
        if self.headers.is_empty() {
            return String::new();
        }
        let before = GAP.len() * 2 + if self.form == Form::Beside { self.name } else { 0 };
        let fields: Vec<String> = self
            .headers
            .iter()
            .zip(&self.widths)
            .map(|(name, width)| pad(name, *width, true))
            .collect();
        format!("{}{}\n", " ".repeat(before), screen.bold(&fields.join(GAP)))
    }

    fn row(&self, row: &NumberRow<'_>, screen: Screen) -> String {
        let fields: Vec<String> = row
            .fields
            .iter()
            .zip(&self.widths)
            .map(|((text, direction), width)| coloured(direction, &pad(text, *width, true), screen))
            .collect();
        match self.form {
            Form::Beside => {
                let line =
                    format!("{GAP}{}{GAP}{}", pad(&row.name, self.name, false), fields.join(GAP));
                line.trim_end().to_owned() + "\n"
            }
            Form::Below => {
                let line = format!("{GAP}{GAP}{}", fields.join(GAP));
                format!("{GAP}{}\n{}\n", row.name, line.trim_end())
            }
            Form::Listed => self.list(row, screen),
        }
    }

    fn list(&self, row: &NumberRow<'_>, screen: Screen) -> String {
        let count = self.subjects.len();
        let (cells, factors) = row.fields.split_at(count.min(row.fields.len()));
        let name = self.subjects.iter().map(|name| columns(name)).max().unwrap_or(0);
        let width = self.widths.iter().take(count).copied().max().unwrap_or(0);
        let mut text = format!("{GAP}{}\n", row.name);
        // The first subject has no factor.
        let factors =
            std::iter::once(None).chain(factors.iter().map(Some)).chain(std::iter::repeat(None));
        for ((subject, (cell, _)), against) in self.subjects.iter().zip(cells).zip(factors) {
            let against =
                against.map_or_else(String::new, |(text, way)| coloured(way, text, screen));
            let subject = pad(subject, name, false);
            let line = format!("{GAP}{GAP}{subject}{GAP}{}{GAP}{against}", pad(cell, width, true));
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }
}
