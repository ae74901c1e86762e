//! The history as Parquet files, for databases: `TABLE/month=2026-11/TABLE.parquet`. Runs are read one
//! after another and rows are written in groups, so that years of nights need no more memory than one.

mod columns;
mod file;
mod tables;

use crate::{
    Document, RunName, Store, StoreError,
    files::{self, StoreLock},
    manifest,
    query::SeriesFilter,
    rows::rows,
};
use file::{MonthFile, remove_others};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};
use tables::{RunFacts, SampleRow, SummaryRow, TableRow, TrialRow, trials};

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ParquetExport {
    /// Months with rows.
    pub months: usize,
    /// Runs with rows.
    pub runs: usize,
    /// Rows of all tables.
    pub rows: u64,
    /// Runs that can't be read, with the reason. They are left out.
    pub damaged: Vec<String>,
}

/// Writes the series that are meant, of runs since `since_ms`, into a folder: an empty one, or one
/// that has an older export, which is replaced file by file.
///
/// # Errors
/// If nothing fits, or the folder has something else in it or can't be written to.
pub fn parquet(
    store: &Store,
    which: &SeriesFilter<'_>,
    since_ms: i64,
    out: &Path,
) -> Result<ParquetExport, StoreError> {
    check(out)?;
    let _lock = StoreLock::wait(out)?;
    let mut months: BTreeMap<String, BTreeSet<RunName>> = BTreeMap::new();
    for name in store.names()? {
        months.entry(name.month()).or_default().insert(name);
    }
    let (mut done, mut written) = (ParquetExport::default(), BTreeSet::new());
    for (month, names) in months {
        let mut files = MonthTables::new(out, &manifest::list_of(&month));
        store.each_run(&month, names, |name, read| {
            match read {
                Ok(document) => {
                    let run = RunFacts::of(name.as_str(), &document);
                    done.runs += usize::from(files.add(&run, which, since_ms)?);
                }
                Err(error) => done.damaged.push(format!("{name}: {error}")),
            }
            Ok(())
        })?;
        let rows = files.finish(&mut written)?;
        (done.months, done.rows) = (done.months + usize::from(rows > 0), done.rows + rows);
    }
    if done.rows == 0 {
        return Err(StoreError::Question(
            "nothing to export: no run has such a series. See `shakedown history list`".to_owned(),
        ));
    }
    for table in TABLES {
        remove_others(&out.join(table), &written)?;
    }
    Ok(done)
}

const TABLES: [&str; 3] = [SummaryRow::NAME, TrialRow::NAME, SampleRow::NAME];

/// Whether files may be replaced in the folder.
fn check(out: &Path) -> Result<(), StoreError> {
    let ours = |name: &String| TABLES.contains(&&**name) || [".lock", "tmp"].contains(&&**name);
    match files::names(out)?.iter().find(|name| !ours(name)) {
        None => Ok(()),
        Some(other) => Err(StoreError::Question(format!(
            "{} has other files, for example {other}: name an empty folder, or an older export",
            out.display()
        ))),
    }
}

/// The tables of one month.
struct MonthTables {
    summaries: MonthFile,
    trials: MonthFile,
    samples: MonthFile,
}

impl MonthTables {
    fn new(out: &Path, month: &str) -> Self {
        Self {
            summaries: MonthFile::of::<SummaryRow<'_>>(out, month),
            trials: MonthFile::of::<TrialRow<'_>>(out, month),
            samples: MonthFile::of::<SampleRow<'_>>(out, month),
        }
    }

    /// Adds the rows of a run. Whether there are any.
    fn add(
        &mut self,
        run: &RunFacts<'_>,
        which: &SeriesFilter<'_>,
        since_ms: i64,
    ) -> Result<bool, StoreError> {
        if run.started_ms() < since_ms {
            return Ok(false);
        }
        let meant = |subject: &str, scenario: &str| {
            which.subject.is_none_or(|asked| asked == subject)
                && which.scenario.is_none_or(|asked| asked == scenario)
        };
        let values = match run.document {
            Document::Run(record) => rows(record),
            Document::Import(import) => import.rows.clone(),
        };
        let mut some = false;
        let columns = SummaryRow::columns();
        for value in values.iter().filter(|v| meant(&v.series.subject, &v.series.scenario)) {
            some = true;
            self.summaries.push(&columns, &SummaryRow { run, value })?;
        }
        let Document::Run(record) = run.document else { return Ok(some) };
        let (of_trials, of_samples) = (TrialRow::columns(), SampleRow::columns());
        let trials: Vec<_> =
            trials(run, record).filter(|t| meant(&t.subject, &t.scenario)).collect();
        for trial in &trials {
            some = true;
            TrialRow::of(trial).iter().try_for_each(|row| self.trials.push(&of_trials, row))?;
            SampleRow::of(trial).iter().try_for_each(|row| self.samples.push(&of_samples, row))?;
        }
        Ok(some)
    }

    /// Puts the files into their places, and notes which. How many rows they have.
    fn finish(self, written: &mut BTreeSet<std::path::PathBuf>) -> Result<u64, StoreError> {
        let mut rows = 0;
        for file in [self.summaries, self.trials, self.samples] {
            if let Some((path, found)) = file.finish()? {
                written.insert(path);
                rows += found;
            }
        }
        Ok(rows)
    }
}

#[cfg(test)]
mod tests;
