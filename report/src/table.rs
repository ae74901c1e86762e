//! The report as a table for a terminal.

use crate::{
    fit::fit,
    format::plain,
    model::{Cell, FactorCell, Line, Report},
};
use comfy_table::{Attribute, Cell as Field, CellAlignment, Color, Table, presets};
use std::fmt::Write;

/// The table, with what must not be overlooked below it. Coloured on a terminal only.
pub fn table(report: &Report) -> String {
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    fit(&mut table);
    table.set_header(header(report));
    for group in &report.groups {
        for line in group.lines.iter().filter(|line| in_table(line)) {
            table.add_row(row(line));
        }
    }
    for index in 2..table.column_count() {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut text = format!("{}\nrun {}\n\n", plain(&report.host.line), plain(&report.id));
    for note in &report.notes {
        let _ = writeln!(text, "{}", plain(note));
    }
    let _ = writeln!(text, "{table}\n");
    notes(report, &mut text);
    text
}

/// Latencies and what else is many numbers for one thing stand in the reports only.
fn in_table(line: &Line) -> bool {
    !line.metric.starts_with("latency")
}

fn header(report: &Report) -> Vec<Field> {
    let bold = |text: String| Field::new(plain(&text)).add_attribute(Attribute::Bold);
    let mut fields: Vec<Field> =
        ["scenario", "side", "metric"].map(|name| bold(name.to_owned())).into();
    fields.extend(report.subjects.iter().map(|subject| bold(subject.name.clone())));
    if let [first, others @ ..] = report.subjects.as_slice() {
        for other in others {
            let text = match others {
                [_] => format!("factor of {}", other.name),
                _ => format!("{} / {}", other.name, first.name),
            };
            fields.push(bold(text));
        }
    }
    fields
}

fn row(line: &Line) -> Vec<Field> {
    let mut fields =
        vec![Field::new(plain(&line.scenario)), Field::new(&line.side), Field::new(&line.measured)];
    fields.extend(line.cells.iter().map(cell));
    fields.extend(line.factors.iter().map(compared));
    fields
}

fn cell(cell: &Cell) -> Field {
    if !cell.measured {
        return Field::new(&cell.text).fg(Color::DarkGrey);
    }
    let mark = if cell.warnings.is_empty() { "" } else { " *" };
    match cell.interval.as_str() {
        "" => Field::new(format!("{}{mark}", cell.text)),
        interval => Field::new(format!("{} [{interval}]{mark}", cell.text)),
    }
}

fn compared(compared: &FactorCell) -> Field {
    let field = match compared.interval.as_str() {
        "" => Field::new(&compared.text),
        interval => Field::new(format!("{} [{interval}]", compared.text)),
    };
    match compared.direction {
        "better" => field.fg(Color::Green),
        "worse" => field.fg(Color::Red),
        _ => field,
    }
}

/// What stands below the table: slopes, gaps, warnings.
fn notes(report: &Report, text: &mut String) {
    for memory in &report.memory {
        if memory.text != "–" {
            let _ = writeln!(
                text,
                "{}: {} B for each further session [{}], {}",
                plain(&memory.subject),
                memory.text,
                memory.interval,
                plain(&memory.family)
            );
        }
    }
    for gap in &report.unsupported {
        let (subject, scenario) = (plain(&gap.subject), plain(&gap.scenario));
        let _ = writeln!(text, "unsupported: {subject} {scenario}: {}", plain(&gap.reason));
    }
    if !report.lost.is_empty() {
        let _ =
            writeln!(text, "{} trials gave no number; the report names them", report.lost.len());
    }
    let marked = report.groups.iter().flat_map(|group| &group.lines).filter(|line| in_table(line));
    let marked: usize = marked
        .flat_map(|line| &line.cells)
        .filter(|cell| cell.measured && !cell.warnings.is_empty())
        .count();
    if marked > 0 {
        let _ = writeln!(text, "* {marked} numbers have warnings, named in the report");
    }
    for warning in &report.warnings {
        let _ = writeln!(text, "warning: {}", plain(warning));
    }
    if report.subjects.len() > 1 {
        let _ =
            writeln!(text, "A factor above 1 is better than {}.", plain(&report.subjects[0].name));
    }
    if !report.coverage.is_empty() {
        let _ = writeln!(text, "{}", report.coverage);
    }
}
