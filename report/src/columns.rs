//! Plain columns for a terminal.

use crate::format::plain;
use comfy_table::{CellAlignment, Table, presets};

/// Columns under a header; those from `numbers` on are aligned to the right.
pub fn columns(header: &[&str], numbers: usize, rows: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.force_no_tty();
    table.set_header(header.iter().map(|field| plain(field)));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_and_hostile_names() {
        let rows =
            [vec!["a\u{1b}[31m\nb".to_owned(), "1".to_owned()], vec!["c".into(), "22".into()]];
        assert_eq!(
            columns(&["name", "n"], 1, &rows),
            " name             n\n a\\u{1b}[31m\\nb   1\n c               22\n"
        );
    }
}
