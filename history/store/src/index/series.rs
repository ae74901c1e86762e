//! Selects series.

use crate::{SeriesInfo, StoreError};
use rusqlite::{Connection, params};

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

/// The selected series with their ids.
pub(crate) fn select_series(
    connection: &Connection,
    which: &SeriesFilter<'_>,
) -> Result<Vec<(i64, SeriesInfo)>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT id, subject, scenario, side, metric, unit, better FROM series
         WHERE (?1 IS NULL OR scenario = ?1) AND (?2 IS NULL OR subject = ?2)
           AND (?3 IS NULL OR side = ?3) AND (?4 IS NULL OR metric = ?4)
         ORDER BY scenario, subject, side, metric",
    )?;
    let found = statement.query_map(
        params![which.scenario, which.subject, which.side, which.metric],
        |row| {
            let better = match row.get_ref(6)?.as_str()? {
                "higher" => shakedown_protocol::Better::Higher,
                _ => shakedown_protocol::Better::Lower,
            };
            let series = SeriesInfo {
                subject: row.get(1)?,
                scenario: row.get(2)?,
                side: row.get(3)?,
                metric: row.get(4)?,
                unit: row.get(5)?,
                better,
            };
            Ok((row.get(0)?, series))
        },
    )?;
    Ok(found.collect::<Result<_, _>>()?)
}
