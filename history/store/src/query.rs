//! Queries of the index.

mod compare;
mod facts;
mod hosts;
mod near;
mod numbers;
mod owed;

pub use crate::index::SeriesFilter;
pub use compare::SeriesComparison;
pub use facts::StoredEpoch;
pub use hosts::StoredHost;
pub use owed::{DriverBreak, Owed};

use crate::{Index, SeriesInfo, StoreError, index::select_series};
use rusqlite::{Row as SqlRow, ToSql, params};
use serde::Serialize;

/// One stored run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoredRun {
    /// Name of its file.
    pub name: String,
    /// Start, in milliseconds since 1970 UTC.
    pub started_ms: i64,
    /// Host epoch.
    pub epoch: String,
    /// Host name.
    pub host: String,
    /// Suite, or the format that it was imported from.
    pub suite: String,
    /// `run` or `import`.
    pub kind: String,
    /// Whether the host was fit.
    pub fit: bool,
    /// Whether the run finished.
    pub finished: bool,
    /// Whether it consists of in-tree benchmarks.
    pub in_tree: bool,
    /// Requested suite, if in-tree benchmarks were measured instead.
    pub fallback: Option<String>,
    /// Name of the missed run that it replaces.
    pub backfill: Option<String>,
}

/// The value of a series in one run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TrendPoint {
    /// Name of the run's file.
    pub run: String,
    /// Start of the run, in milliseconds since 1970 UTC.
    pub started_ms: i64,
    /// Host epoch: values are compared inside one epoch only.
    pub epoch: String,
    /// Revision of the subject, or its resolved name; empty if unknown.
    pub revision: String,
    /// The value, in the series' unit.
    pub median: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// Number of trials.
    pub n: u32,
}

/// A series with its points, oldest first.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trend {
    /// The series.
    #[serde(flatten)]
    pub series: SeriesInfo,
    /// Its points.
    pub points: Vec<TrendPoint>,
}

const POINT: &str = "SELECT run.name, point.started_ms, run.epoch, COALESCE(build.revision, ''),
    point.median, point.low, point.high, point.n
  FROM point JOIN run ON run.id = point.run
  LEFT JOIN build ON build.run = point.run AND build.subject = ?1
  WHERE point.series = ?2";

fn point(row: &SqlRow<'_>) -> Result<TrendPoint, rusqlite::Error> {
    Ok(TrendPoint {
        run: row.get(0)?,
        started_ms: row.get(1)?,
        epoch: row.get(2)?,
        revision: row.get(3)?,
        median: row.get(4)?,
        low: row.get(5)?,
        high: row.get(6)?,
        n: row.get(7)?,
    })
}

impl Index {
    /// Runs that started at or after `since_ms`, newest first.
    ///
    /// # Errors
    /// If the index fails.
    pub fn runs(&self, since_ms: i64, limit: usize) -> Result<Vec<StoredRun>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT name, started_ms, epoch, host, suite, kind, fit, finished, in_tree, fallback,
               backfill FROM run
             WHERE started_ms >= ?1 ORDER BY started_ms DESC, name DESC LIMIT ?2",
        )?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let runs = statement.query_map(params![since_ms, limit], |row| {
            Ok(StoredRun {
                name: row.get(0)?,
                started_ms: row.get(1)?,
                epoch: row.get(2)?,
                host: row.get(3)?,
                suite: row.get(4)?,
                kind: row.get(5)?,
                fit: row.get(6)?,
                finished: row.get(7)?,
                in_tree: row.get(8)?,
                fallback: row.get(9)?,
                backfill: row.get(10)?,
            })
        })?;
        Ok(runs.collect::<Result<_, _>>()?)
    }

    /// The name of the one run whose name or digest starts with `part`.
    ///
    /// # Errors
    /// If no run matches, or several do.
    pub fn find_run(&self, part: &str) -> Result<String, StoreError> {
        let mut found: Vec<String> = self
            .runs(i64::MIN, usize::MAX)?
            .into_iter()
            .map(|run| run.name)
            .filter(|name| {
                let digest = name.rsplit('-').next().unwrap_or_default();
                name.starts_with(part) || (part.len() >= 4 && digest.starts_with(part))
            })
            .collect();
        match (found.pop(), found.len()) {
            (Some(name), 0) => Ok(name),
            (None, _) => Err(StoreError::Question(format!(
                "no stored run is named `{part}`: see `shakedown history list`"
            ))),
            (Some(_), others) => Err(StoreError::Question(format!(
                "`{part}` fits {} runs: give more of the name",
                others + 1
            ))),
        }
    }

    /// The selected series.
    ///
    /// # Errors
    /// If the index fails.
    pub fn series(&self, which: &SeriesFilter<'_>) -> Result<Vec<SeriesInfo>, StoreError> {
        Ok(select_series(&self.connection, which)?.into_iter().map(|(_, series)| series).collect())
    }

    /// The points of the selected series from `since_ms` on.
    ///
    /// # Errors
    /// If there is no such series; the message suggests similar names.
    pub fn trends(
        &self,
        which: &SeriesFilter<'_>,
        since_ms: i64,
    ) -> Result<Vec<Trend>, StoreError> {
        let mut trends = Vec::new();
        self.each_trend(which, since_ms, |trend| {
            trends.push(trend);
            Ok(())
        })?;
        Ok(trends)
    }

    /// Hands the trends over one by one, so that years of them need not be in memory.
    ///
    /// # Errors
    /// As [`Self::trends`], and those of `take`.
    pub fn each_trend(
        &self,
        which: &SeriesFilter<'_>,
        since_ms: i64,
        mut take: impl FnMut(Trend) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let found = select_series(&self.connection, which)?;
        if found.is_empty() {
            return Err(self.unknown(which)?);
        }
        let sql =
            format!("{POINT} AND point.started_ms >= ?3 ORDER BY point.started_ms, point.run");
        for (id, series) in found {
            let points = self.points(&sql, &[&series.subject, &id, &since_ms])?;
            take(Trend { series, points })?;
        }
        Ok(())
    }

    /// The newest `count` points of every series, oldest first.
    ///
    /// # Errors
    /// If the index fails.
    pub fn latest(&self, which: &SeriesFilter<'_>, count: usize) -> Result<Vec<Trend>, StoreError> {
        let sql = format!("{POINT} ORDER BY point.started_ms DESC, point.run DESC LIMIT ?3");
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let mut trends = Vec::new();
        for (id, series) in select_series(&self.connection, which)? {
            let mut points = self.points(&sql, &[&series.subject, &id, &count])?;
            points.reverse();
            trends.push(Trend { series, points });
        }
        Ok(trends)
    }

    fn points(&self, sql: &str, values: &[&dyn ToSql]) -> Result<Vec<TrendPoint>, StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let points = statement.query_map(values, point)?;
        Ok(points.collect::<Result<_, _>>()?)
    }
}
