//! Reading runs and inserting their rows.

use super::{IndexUpdate, SeriesFilter, select_series};
use crate::{
    Build, Document, RunName, SeriesInfo, SeriesValue, Store, StoreError,
    misfit::{self, misfits},
    rows::rows,
};
use rusqlite::{Connection, OptionalExtension, Transaction, params};
use shakedown_protocol::RunPlan;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Number of rows to sort in memory before they are inserted. Enough runs at once that the rows of a
/// series are adjacent, in at most 100 megabytes.
const SORTED_ROWS: usize = 1_500_000;

/// Number of runs to read at once.
const READ_AT_ONCE: usize = 16;

/// A row before it is inserted: series, start, run, then median, low, high, trials.
type Waiting = (i64, i64, i64, (f64, f64, f64, u32));

/// Names of the runs in the index.
pub(super) fn known(connection: &Connection) -> Result<BTreeSet<RunName>, StoreError> {
    let mut statement = connection.prepare("SELECT name FROM run")?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?;
    names.map(|name| name?.parse()).collect()
}

/// Removes a run.
pub(super) fn forget(change: &Transaction<'_>, name: &RunName) -> Result<(), StoreError> {
    let id: Option<i64> = change
        .query_row("SELECT id FROM run WHERE name = ?1", [name.as_str()], |row| row.get(0))
        .optional()?;
    for table in ["point", "build", "misfit"] {
        change.execute(&format!("DELETE FROM {table} WHERE run = ?1"), params![id])?;
    }
    change.execute("DELETE FROM run WHERE id = ?1", params![id])?;
    Ok(())
}

/// Reads runs and inserts their rows.
pub(super) fn take_in(
    change: &Transaction<'_>,
    store: &Store,
    new: &[RunName],
    updated: &mut IndexUpdate,
) -> Result<(), StoreError> {
    let mut months: BTreeMap<String, Vec<RunName>> = BTreeMap::new();
    for name in new {
        months.entry(name.month()).or_default().push(name.clone());
    }
    let mut ids = series_ids(change)?;
    let mut waiting: Vec<Waiting> = Vec::new();
    for (month, names) in months {
        for some in names.chunks(READ_AT_ONCE) {
            for (name, read) in read(store, &month, some) {
                match read {
                    Ok((document, found)) => {
                        enter(change, &name, &document, &found, &mut ids, &mut waiting)?;
                        updated.added += 1;
                    }
                    Err(error) => updated.damaged.push(format!("{name}: {error}")),
                }
            }
            if waiting.len() >= SORTED_ROWS {
                insert(change, &mut waiting)?;
            }
        }
    }
    insert(change, &mut waiting)
}

type Read = Result<(Document, Vec<SeriesValue>), StoreError>;

/// Reads and summarizes runs on all CPUs. A rebuild spends most of its time here.
fn read(store: &Store, month: &str, names: &[RunName]) -> Vec<(RunName, Read)> {
    // One at a time when the month is damaged somewhere, so that the damage stays where it is.
    let texts = store.read_month(month, names).ok();
    let one = |name: &RunName| -> Read {
        let document = match texts.as_ref().and_then(|texts| texts.get(name)) {
            Some(text) => Document::from_store(text)?,
            None => store.document(name)?,
        };
        let found = match &document {
            Document::Run(record) => rows(record),
            Document::Import(import) => import.rows.clone(),
        };
        // The heavy part of a record is not needed any more.
        Ok((slim(document), found))
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(8);
    let share = names.len().div_ceil(workers).max(1);
    std::thread::scope(|scope| {
        let work: Vec<_> = names
            .chunks(share)
            .map(|some| {
                scope.spawn(|| some.iter().map(|n| (n.clone(), one(n))).collect::<Vec<_>>())
            })
            .collect();
        let done = work.into_iter().map(|worker| match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        done.flatten().collect()
    })
}

fn slim(document: Document) -> Document {
    match document {
        Document::Run(mut record) => {
            record.trials = Vec::new();
            Document::Run(record)
        }
        Document::Import(mut import) => {
            import.rows = Vec::new();
            Document::Import(import)
        }
    }
}

fn enter(
    change: &Transaction<'_>,
    name: &RunName,
    document: &Document,
    rows: &[SeriesValue],
    ids: &mut Ids,
    waiting: &mut Vec<Waiting>,
) -> Result<(), StoreError> {
    let (kind, fit, finished) = match document {
        Document::Run(record) => ("run", record.host.fit, record.finish.is_some()),
        Document::Import(_) => ("import", true, true),
    };
    let plan = document.plan();
    let started_ms = i64::try_from(document.stands_at_ms()).unwrap_or(i64::MAX);
    change
        .prepare_cached(
            "INSERT INTO run (name, started_ms, epoch, host, cpu, suite, kind, fit, finished,
               in_tree, fallback, backfill)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute(params![
            name.as_str(),
            started_ms,
            document.epoch(),
            document.host(),
            document.cpu(),
            document.suite(),
            kind,
            fit,
            finished,
            plan.is_some_and(RunPlan::in_tree),
            plan.and_then(|plan| Some(&plan.fallback.as_ref()?.suite)),
            plan.and_then(|plan| Some(&plan.backfill.as_ref()?.run)),
        ])?;
    let run = change.last_insert_rowid();
    let mut statement = change.prepare_cached(
        "INSERT OR REPLACE INTO build (run, subject, revision, repository)
         VALUES (?1, ?2, ?3, ?4)",
    )?;
    for Build { subject, revision, repository } in document.builds() {
        statement.execute(params![run, subject, revision, repository])?;
    }
    for found in plan.into_iter().flat_map(misfits) {
        misfit::enter(change, run, &found)?;
    }
    for row in rows {
        let id = match ids.get(&row.series) {
            Some(id) => *id,
            None => new_series(change, ids, &row.series)?,
        };
        waiting.push((id, started_ms, run, (row.median, row.low, row.high, row.n)));
    }
    Ok(())
}

type Ids = HashMap<SeriesInfo, i64>;

fn series_ids(change: &Transaction<'_>) -> Result<Ids, StoreError> {
    let all = select_series(change, &SeriesFilter::default())?;
    Ok(all.into_iter().map(|(id, series)| (series, id)).collect())
}

/// Inserts the waiting rows, sorted by series, so that the rows of a series are adjacent.
fn insert(change: &Transaction<'_>, waiting: &mut Vec<Waiting>) -> Result<(), StoreError> {
    waiting.sort_unstable_by_key(|row| (row.0, row.1, row.2));
    let mut statement = change.prepare_cached(
        "INSERT OR REPLACE INTO point (series, started_ms, run, median, low, high, n)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    for (series, started_ms, run, (median, low, high, n)) in waiting.drain(..) {
        statement.execute(params![series, started_ms, run, median, low, high, n])?;
    }
    Ok(())
}

fn new_series(
    change: &Transaction<'_>,
    ids: &mut Ids,
    series: &SeriesInfo,
) -> Result<i64, StoreError> {
    change
        .prepare_cached(
            "INSERT INTO series (subject, scenario, side, metric, unit, better)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            series.subject,
            series.scenario,
            series.side,
            series.metric,
            series.unit,
            series.better.name()
        ])?;
    let id = change.last_insert_rowid();
    ids.insert(series.clone(), id);
    Ok(id)
}
