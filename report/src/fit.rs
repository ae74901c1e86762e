//! Tables for a terminal.

use comfy_table::{ContentArrangement, Table, presets};
use std::io::IsTerminal;

/// Narrower than this, a table's columns are single letters; programs that pretend to be a
/// terminal often say that they have no width at all.
const NARROWEST: u16 = 40;

/// A table without lines that fits the terminal. Elsewhere its rows are as long as they must be,
/// and have no colour.
pub fn grid() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    fit(&mut table);
    table
}

/// Fits a table to standard output.
pub fn fit(table: &mut Table) {
    let wide = table.width().is_some_and(|width| width >= NARROWEST);
    if std::io::stdout().is_terminal() && wide {
        table.set_content_arrangement(ContentArrangement::Dynamic);
    } else {
        table.force_no_tty();
        table.set_content_arrangement(ContentArrangement::Disabled);
    }
}
