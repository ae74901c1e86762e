//! The index: the numbers of every run in SQLite, so that questions need no run files. It is
//! derived. When it is missing, damaged or of another layout it is made again.

use crate::{
    Document, Row, RunName, Series, Store, StoreError, document::Build, files, rows::rows,
};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// Version of the tables. Increase it with every change of them.
const TABLES_VERSION: i64 = 2;
/// What an index must have been made with to be of use: these tables, and the rules that turn a
/// record into rows. An index of any other layout is made again.
pub(crate) const LAYOUT: i64 = layout(shakedown_summary::VERSION);
/// Rows that are sorted in memory before they are inserted: enough runs at once that each
/// series' rows land next to each other, and 100 megabytes at most.
const SORTED_ROWS: usize = 1_500_000;
/// Runs that are read at once.
const READ_AT_ONCE: usize = 16;

const TABLES: &str = "
CREATE TABLE run (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, started_ms INTEGER NOT NULL,
  epoch TEXT NOT NULL, host TEXT NOT NULL, suite TEXT NOT NULL, kind TEXT NOT NULL,
  fit INTEGER NOT NULL, finished INTEGER NOT NULL);
CREATE INDEX run_by_time ON run (started_ms);
CREATE TABLE build (
  run INTEGER NOT NULL, subject TEXT NOT NULL, revision TEXT NOT NULL, repository TEXT,
  PRIMARY KEY (run, subject)) WITHOUT ROWID;
CREATE TABLE series (
  id INTEGER PRIMARY KEY, subject TEXT NOT NULL, scenario TEXT NOT NULL, side TEXT NOT NULL,
  metric TEXT NOT NULL, unit TEXT NOT NULL, better TEXT NOT NULL,
  UNIQUE (subject, scenario, side, metric, unit));
CREATE INDEX series_by_scenario ON series (scenario);
CREATE TABLE point (
  series INTEGER NOT NULL, started_ms INTEGER NOT NULL, run INTEGER NOT NULL,
  median REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL, n INTEGER NOT NULL,
  PRIMARY KEY (series, started_ms, run)) WITHOUT ROWID;
";

/// The layout of an index whose rows were made by this version of the summary's rules.
const fn layout(summary: u16) -> i64 {
    TABLES_VERSION << 16 | summary as i64
}

/// What an update did.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct IndexUpdate {
    /// Runs that came in.
    pub added: usize,
    /// Runs that went, because their files did.
    pub removed: usize,
    /// Whether the index was made from nothing.
    pub rebuilt: bool,
    /// Runs whose files are missing, damaged or of a newer program, with the reason. They are not
    /// in the index.
    pub damaged: Vec<String>,
}

/// The index of one history.
#[derive(Debug)]
pub struct Index {
    pub(crate) connection: Connection,
}

/// A row on its way into the index: series, start, run, then median, low, high, trials.
type Waiting = (i64, i64, i64, (f64, f64, f64, u32));

impl Index {
    /// Opens the index and brings it up to date with the files.
    ///
    /// # Errors
    /// If the disk is full or the folder can't be read.
    pub fn open(store: &Store) -> Result<(Self, IndexUpdate), StoreError> {
        let path = path(store);
        files::make_folder(path.parent().unwrap_or(Path::new(".")))?;
        match Self::update(&path, store) {
            Err(StoreError::Index(error)) if is_damage(&error) => {
                remove(&path)?;
                Self::update(&path, store)
            }
            other => other,
        }
    }

    /// Makes the index from nothing.
    ///
    /// # Errors
    /// Those of [`Index::open`].
    pub fn rebuild(store: &Store) -> Result<(Self, IndexUpdate), StoreError> {
        remove(&path(store))?;
        Self::open(store)
    }

    fn update(path: &Path, store: &Store) -> Result<(Self, IndexUpdate), StoreError> {
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(300))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // Derived: what a power cut takes is made again.
        connection.pragma_update(None, "synchronous", "OFF")?;
        connection.pragma_update(None, "cache_size", -131_072)?;
        let mut updated =
            IndexUpdate { rebuilt: lay_out(&mut connection)?, ..IndexUpdate::default() };
        let wanted = store.names()?;
        // Most calls find nothing new and need not wait for another's update.
        if known(&connection)? != wanted {
            let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let known = known(&change)?;
            for name in known.difference(&wanted) {
                forget(&change, name)?;
                updated.removed += 1;
            }
            let new: Vec<RunName> = wanted.difference(&known).cloned().collect();
            take_in(&change, store, &new, &mut updated)?;
            change.commit()?;
        }
        Ok((Self { connection }, updated))
    }
}

fn path(store: &Store) -> PathBuf {
    store.root().join(".index").join("index.sqlite")
}

fn remove(path: &Path) -> Result<(), StoreError> {
    for suffix in ["", "-wal", "-shm"] {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        match fs::remove_file(&name) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(StoreError::io("delete", Path::new(&name))(error));
            }
            _ => {}
        }
    }
    Ok(())
}

fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, SchemaChanged, Unknown};
    let code = error.sqlite_error_code();
    matches!(code, Some(DatabaseCorrupt | NotADatabase | SchemaChanged | Unknown))
}

/// Makes the tables, if they are not there in this layout; whether it did.
fn lay_out(connection: &mut Connection) -> Result<bool, StoreError> {
    let layout = |connection: &Connection| -> Result<i64, rusqlite::Error> {
        connection.pragma_query_value(None, "user_version", |row| row.get(0))
    };
    if layout(connection)? == LAYOUT {
        return Ok(false);
    }
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if layout(&change)? == LAYOUT {
        return Ok(false);
    }
    for table in ["run", "build", "series", "point"] {
        change.execute_batch(&format!("DROP TABLE IF EXISTS {table}"))?;
    }
    change.execute_batch(TABLES)?;
    change.pragma_update(None, "user_version", LAYOUT)?;
    change.commit()?;
    Ok(true)
}

fn known(connection: &Connection) -> Result<BTreeSet<RunName>, StoreError> {
    let mut statement = connection.prepare("SELECT name FROM run")?;
    let names = statement.query_map([], |row| row.get::<_, String>(0))?;
    names.map(|name| name?.parse()).collect()
}

fn forget(change: &Transaction<'_>, name: &RunName) -> Result<(), StoreError> {
    let id: Option<i64> = change
        .query_row("SELECT id FROM run WHERE name = ?1", [name.as_str()], |row| row.get(0))
        .optional()?;
    for table in ["point", "build"] {
        change.execute(&format!("DELETE FROM {table} WHERE run = ?1"), params![id])?;
    }
    change.execute("DELETE FROM run WHERE id = ?1", params![id])?;
    Ok(())
}

fn take_in(
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

type Read = Result<(Document, Vec<Row>), StoreError>;

/// Reads and sums up runs, on every CPU: this is where the time of a rebuild goes.
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
    rows: &[Row],
    ids: &mut Ids,
    waiting: &mut Vec<Waiting>,
) -> Result<(), StoreError> {
    let (kind, fit, finished) = match document {
        Document::Run(record) => ("run", record.host.fit, record.finish.is_some()),
        Document::Import(_) => ("import", true, true),
    };
    let started_ms = i64::try_from(document.started_ms()).unwrap_or(i64::MAX);
    change
        .prepare_cached(
            "INSERT INTO run (name, started_ms, epoch, host, suite, kind, fit, finished)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            name.as_str(),
            started_ms,
            document.epoch(),
            document.host(),
            document.suite(),
            kind,
            fit,
            finished
        ])?;
    let run = change.last_insert_rowid();
    let mut statement = change.prepare_cached(
        "INSERT OR REPLACE INTO build (run, subject, revision, repository)
         VALUES (?1, ?2, ?3, ?4)",
    )?;
    for Build { subject, revision, repository } in document.builds() {
        statement.execute(params![run, subject, revision, repository])?;
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

type Ids = HashMap<Series, i64>;

fn series_ids(change: &Transaction<'_>) -> Result<Ids, StoreError> {
    let all = crate::query::all_series(change)?;
    Ok(all.into_iter().map(|(id, series)| (series, id)).collect())
}

/// Inserts and empties what waits, series by series, so that each lands next to its own.
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

fn new_series(change: &Transaction<'_>, ids: &mut Ids, series: &Series) -> Result<i64, StoreError> {
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
