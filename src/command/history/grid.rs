//! Plain columns for a terminal.

use crate::report::plain;
use comfy_table::{CellAlignment, Table, presets};

/// Columns under a header; those from `numbers` on are aligned to the right.
pub fn grid(header: &[&str], numbers: usize, rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.force_no_tty();
    table.set_header(header.to_vec());
    for row in rows {
        table.add_row(row.iter().map(|field| plain(field)));
    }
    for index in numbers..header.len() {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n") + "\n"
}

/// Four significant digits.
pub fn number(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let decimals = (3 - value.abs().log10().floor() as i32).clamp(0, 9) as usize;
    format!("{value:.decimals$}")
}

/// A factor as a change: `+1.3 %`.
pub fn percent(factor: f64) -> String {
    format!("{:+.1} %", (factor - 1.0) * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_hostile_names() {
        let rows =
            [vec!["a\u{1b}[31m\nb".to_owned(), "1".to_owned()], vec!["c".into(), "22".into()]];
        assert_eq!(
            grid(&["name", "n"], 1, &rows),
            " name             n\n a\\u{1b}[31m\\nb   1\n c               22\n"
        );
    }

    #[test]
    fn numbers_have_four_digits() {
        assert_eq!(
            [12345.6, 1.23456, 0.0123456, 0.0].map(number),
            ["12346", "1.235", "0.01235", "0"]
        );
        assert_eq!(percent(0.987), "-1.3 %");
    }
}
