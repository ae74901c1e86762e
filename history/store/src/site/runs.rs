//! A file for each run: all of its numbers.

use super::{
    numbers::{cell, table},
    out::SiteWriter,
};
use crate::{Index, StoreError, query::StoredRun};
use std::collections::BTreeMap;

/// Writes the files that are missing. `fresh`: whether the files of the last build have today's
/// layout; a run itself never changes.
pub(super) fn write(
    out: &mut SiteWriter<'_>,
    index: &Index,
    runs: &BTreeMap<String, Vec<StoredRun>>,
    fresh: bool,
) -> Result<(), StoreError> {
    for run in runs.values().flatten() {
        let file = format!("run/{}", run.name);
        if fresh && out.has(&format!("data/{file}.js")) {
            out.built.kept += 1;
            continue;
        }
        let values = index.numbers(run)?;
        let cells: Vec<_> =
            values.iter().map(|value| (value.series.clone(), cell(value))).collect();
        out.script(&file, &table(&cells))?;
    }
    Ok(())
}
