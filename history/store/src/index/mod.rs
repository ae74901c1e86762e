//! The index: the numbers of every run in SQLite, so that queries need no run files. It is derived
//! data: if it is missing, damaged or of another layout, it is rebuilt.

mod fill;
mod series;

pub use series::SeriesFilter;
pub(crate) use series::{SERIES, select_series, series_at};

use crate::{RunName, Store, StoreError, files};
use fill::{forget, known, take_in};
use rusqlite::{Connection, TransactionBehavior};
use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

/// Version of the tables. Increase it with every change of them.
const TABLES_VERSION: i64 = 4;
/// The version of an index: of its tables, and of the rules that turn a record into rows. An index
/// with another version is rebuilt.
pub(crate) const LAYOUT: i64 = layout(shakedown_summary::VERSION);

const TABLES: &str = "
CREATE TABLE run (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, started_ms INTEGER NOT NULL,
  epoch TEXT NOT NULL, host TEXT NOT NULL, cpu TEXT NOT NULL, suite TEXT NOT NULL, kind TEXT NOT NULL,
  fit INTEGER NOT NULL, finished INTEGER NOT NULL, in_tree INTEGER NOT NULL, fallback TEXT,
  backfill TEXT);
CREATE INDEX run_by_time ON run (started_ms);
CREATE TABLE build (
  run INTEGER NOT NULL, subject TEXT NOT NULL, revision TEXT NOT NULL, repository TEXT,
  PRIMARY KEY (run, subject)) WITHOUT ROWID;
CREATE TABLE misfit (
  run INTEGER NOT NULL, subject TEXT NOT NULL, asked TEXT NOT NULL, resolved TEXT NOT NULL,
  revision TEXT NOT NULL, suite TEXT NOT NULL, only_ids TEXT NOT NULL, misfit TEXT NOT NULL,
  error TEXT NOT NULL, PRIMARY KEY (run, subject)) WITHOUT ROWID;
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

/// The layout of an index with rows of this version of the summary's rules.
const fn layout(summary: u16) -> i64 {
    TABLES_VERSION << 16 | summary as i64
}

/// The result of an update.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
pub struct IndexUpdate {
    /// Added runs.
    pub added: usize,
    /// Removed runs, whose files are gone.
    pub removed: usize,
    /// Whether the whole index was rebuilt.
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

impl Index {
    /// Opens the index and brings it up to date with the files. In a folder that can't be
    /// written to, the index is made in memory.
    ///
    /// # Errors
    /// If the disk is full or the folder can't be read.
    pub fn open(store: &Store) -> Result<(Self, IndexUpdate), StoreError> {
        match Self::on_disk(store) {
            Err(error) if error.is_read_only() => {
                Self::update(Connection::open_in_memory()?, store)
            }
            other => other,
        }
    }

    fn on_disk(store: &Store) -> Result<(Self, IndexUpdate), StoreError> {
        let path = path(store);
        files::make_folder(path.parent().unwrap_or(Path::new(".")))?;
        match Self::update(Connection::open(&path)?, store) {
            Err(StoreError::Index(error)) if is_damage(&error) => {
                remove(&path)?;
                Self::update(Connection::open(&path)?, store)
            }
            other => other,
        }
    }

    /// Rebuilds the whole index.
    ///
    /// # Errors
    /// Those of [`Index::open`].
    pub fn rebuild(store: &Store) -> Result<(Self, IndexUpdate), StoreError> {
        remove(&path(store))?;
        Self::open(store)
    }

    fn update(
        mut connection: Connection,
        store: &Store,
    ) -> Result<(Self, IndexUpdate), StoreError> {
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

/// Creates the tables, unless they exist in this layout. Returns whether it did.
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
    for table in ["run", "build", "misfit", "series", "point"] {
        change.execute_batch(&format!("DROP TABLE IF EXISTS {table}"))?;
    }
    change.execute_batch(TABLES)?;
    change.pragma_update(None, "user_version", LAYOUT)?;
    change.commit()?;
    Ok(true)
}
