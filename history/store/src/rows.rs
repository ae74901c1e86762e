//! The rows of a run in the index.

use crate::{SeriesInfo, SeriesValue};
use shakedown_protocol::RunRecord;
use std::collections::HashMap;

/// The rows of a record with numbers, under the names of the subjects' series.
pub fn rows(record: &RunRecord) -> Vec<SeriesValue> {
    let here = record.subjects.iter().map(|entry| entry.name.clone());
    let followed: HashMap<String, String> = here.zip(record.followed_names()).collect();
    let known = shakedown_summary::summarize(record).rows.into_iter();
    known
        .filter_map(|row| {
            let (median, low, high) = (row.median?, row.low?, row.high?);
            let series = SeriesInfo {
                subject: followed.get(&row.subject)?.clone(),
                scenario: row.scenario.to_string(),
                side: row.side.to_string(),
                metric: row.metric.to_string(),
                unit: row.unit.to_string(),
                better: row.better,
            };
            Some(SeriesValue {
                series,
                median,
                low,
                high,
                n: u32::try_from(row.n).unwrap_or(u32::MAX),
            })
        })
        .collect()
}
