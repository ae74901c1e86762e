//! Queries about runs: their subjects and hosts.

use super::{POINT, SeriesFilter, Trend};
use crate::{Build, Index, StoreError, index::select_series};
use rusqlite::{OptionalExtension, params};
use serde::Serialize;
use std::collections::BTreeMap;

/// A host epoch, as seen in runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoredEpoch {
    /// Its id.
    pub id: String,
    /// Name of the host.
    pub host: String,
    /// Model of its CPU; empty where only imports were measured in it.
    pub cpu: String,
    /// Start of its first run, in milliseconds since 1970 UTC.
    pub first_ms: i64,
    /// Start of its last run.
    pub last_ms: i64,
    /// Number of its runs.
    pub runs: u32,
    /// Number of runs on an unfit host.
    pub unfit: u32,
}

impl Index {
    /// The names of the finished runs with two subjects in one host epoch, newest first. They include
    /// the A/A runs, which show the noise of the host.
    ///
    /// # Errors
    /// If the index fails.
    pub fn pairs_of(&self, epoch: &str) -> Result<Vec<String>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT name FROM run WHERE epoch = ?1 AND kind = 'run' AND finished
               AND 2 = (SELECT COUNT(*) FROM build WHERE build.run = run.id)
             ORDER BY started_ms DESC, name DESC",
        )?;
        let names = statement.query_map(params![epoch], |row| row.get(0))?;
        Ok(names.collect::<Result<_, _>>()?)
    }

    /// The repository of a subject in a run; `None` if its source is not git, or the run or subject is
    /// unknown.
    ///
    /// # Errors
    /// If the index fails.
    pub fn repository(&self, run: &str, subject: &str) -> Result<Option<String>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT build.repository FROM build JOIN run ON run.id = build.run
             WHERE run.name = ?1 AND build.subject = ?2",
        )?;
        let found = statement.query_row(params![run, subject], |row| row.get(0)).optional()?;
        Ok(found.flatten())
    }

    /// The newest `count` points of every series within one host epoch, oldest first.
    ///
    /// # Errors
    /// If the index fails.
    pub fn nights_of(&self, epoch: &StoredEpoch, count: usize) -> Result<Vec<Trend>, StoreError> {
        let sql = format!(
            "{POINT} AND point.started_ms BETWEEN ?3 AND ?4 AND run.epoch = ?5
             ORDER BY point.started_ms DESC, point.run DESC LIMIT ?6"
        );
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let StoredEpoch { id: name, first_ms, last_ms, .. } = epoch;
        let mut trends = Vec::new();
        for (id, series) in select_series(&self.connection, &SeriesFilter::default())? {
            let mut points =
                self.points(&sql, &[&series.subject, &id, first_ms, last_ms, name, &count])?;
            points.reverse();
            trends.push(Trend { series, points });
        }
        Ok(trends)
    }

    /// The revisions in each run from `first_ms` to `last_ms`, by name of the run.
    ///
    /// # Errors
    /// If the index fails.
    pub fn builds(
        &self,
        first_ms: i64,
        last_ms: i64,
    ) -> Result<BTreeMap<String, Vec<Build>>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT run.name, build.subject, build.revision, build.repository
             FROM run JOIN build ON build.run = run.id
             WHERE run.started_ms BETWEEN ?1 AND ?2",
        )?;
        let found = statement.query_map(params![first_ms, last_ms], |row| {
            let build =
                Build { subject: row.get(1)?, revision: row.get(2)?, repository: row.get(3)? };
            Ok((row.get(0)?, build))
        })?;
        let mut builds: BTreeMap<String, Vec<Build>> = BTreeMap::new();
        for row in found {
            let (run, build) = row?;
            builds.entry(run).or_default().push(build);
        }
        Ok(builds)
    }

    /// Every host epoch, newest first.
    ///
    /// # Errors
    /// If the index fails.
    pub fn epochs(&self) -> Result<Vec<StoredEpoch>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT epoch, MAX(host), MIN(started_ms), MAX(started_ms), COUNT(*), SUM(NOT fit), MAX(cpu)
             FROM run GROUP BY epoch ORDER BY 3 DESC, 1",
        )?;
        let epochs = statement.query_map([], |row| {
            Ok(StoredEpoch {
                id: row.get(0)?,
                host: row.get(1)?,
                first_ms: row.get(2)?,
                last_ms: row.get(3)?,
                runs: row.get(4)?,
                unfit: row.get(5)?,
                cpu: row.get(6)?,
            })
        })?;
        Ok(epochs.collect::<Result<_, _>>()?)
    }
}
