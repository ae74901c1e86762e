//! All numbers of one run.

use super::StoredRun;
use crate::{
    Index, SeriesValue, StoreError,
    index::{SERIES, series_at},
};
use rusqlite::params;

impl Index {
    /// Every value of a run, sorted by scenario, side, metric and subject.
    ///
    /// # Errors
    /// If the index fails.
    pub fn numbers(&self, run: &StoredRun) -> Result<Vec<SeriesValue>, StoreError> {
        // The points are ordered by series: one look-up for each of them, and no search through
        // all points.
        let mut statement = self.connection.prepare_cached(&format!(
            "SELECT {SERIES}, point.median, point.low, point.high, point.n
             FROM run CROSS JOIN series CROSS JOIN point
               ON point.series = series.id AND point.started_ms = run.started_ms
                 AND point.run = run.id
             WHERE run.name = ?1 ORDER BY 2, 3, 4, 5, 1",
        ))?;
        let found = statement.query_map(params![run.name], |row| {
            let (median, low, high, n) = (row.get(6)?, row.get(7)?, row.get(8)?, row.get(9)?);
            Ok(SeriesValue { series: series_at(row, 0)?, median, low, high, n })
        })?;
        Ok(found.collect::<Result<_, _>>()?)
    }
}
