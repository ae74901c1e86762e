//! Selects series.

use crate::{SeriesInfo, StoreError};
use rusqlite::{Connection, Row, params};
use shakedown_protocol::Better;

/// Selects series; `None` matches any value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeriesFilter<'a> {
    /// Scenario id.
    pub scenario: Option<&'a str>,
    /// Subject name.
    pub subject: Option<&'a str>,
    /// Side.
    pub side: Option<&'a str>,
    /// Metric.
    pub metric: Option<&'a str>,
}

/// Columns of a series, for [`series_at`].
pub(crate) const SERIES: &str =
    "series.subject, series.scenario, series.side, series.metric, series.unit, series.better";

/// Reads the columns [`SERIES`], from this one on.
pub(crate) fn series_at(row: &Row<'_>, first: usize) -> Result<SeriesInfo, rusqlite::Error> {
    let better = match row.get_ref(first + 5)?.as_str()? {
        "higher" => Better::Higher,
        _ => Better::Lower,
    };
    Ok(SeriesInfo {
        subject: row.get(first)?,
        scenario: row.get(first + 1)?,
        side: row.get(first + 2)?,
        metric: row.get(first + 3)?,
        unit: row.get(first + 4)?,
        better,
    })
}

/// The selected series with their ids.
pub(crate) fn select_series(
    connection: &Connection,
    which: &SeriesFilter<'_>,
) -> Result<Vec<(i64, SeriesInfo)>, StoreError> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT id, {SERIES} FROM series
         WHERE (?1 IS NULL OR scenario = ?1) AND (?2 IS NULL OR subject = ?2)
           AND (?3 IS NULL OR side = ?3) AND (?4 IS NULL OR metric = ?4)
         ORDER BY scenario, subject, side, metric"
    ))?;
    let found = statement
        .query_map(params![which.scenario, which.subject, which.side, which.metric], |row| {
            Ok((row.get(0)?, series_at(row, 1)?))
        })?;
    Ok(found.collect::<Result<_, _>>()?)
}
