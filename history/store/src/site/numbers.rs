//! Tables of numbers for the pages: scenario, side and metric as rows, subjects as columns.

use super::short;
use crate::{SeriesInfo, SeriesValue};
use serde_json::{Value, json};
use shakedown_summary::stats::median_interval;
use std::collections::{BTreeMap, BTreeSet};

/// Number of values above which an interval covers as much as intervals aim at.
const MANY: u32 = 64;

/// A cell of a table: median, ends of the interval, number of trials, and what the table adds.
pub(super) fn cell(value: &SeriesValue) -> Vec<Value> {
    vec![short(value.median), short(value.low), short(value.high), json!(value.n)]
}

/// A table. Each cell is a list, or 0 where nothing was measured.
pub(super) fn table(values: &[(SeriesInfo, Vec<Value>)]) -> Value {
    let subjects: BTreeSet<&str> = values.iter().map(|(s, _)| s.subject.as_str()).collect();
    let subjects: Vec<&str> = subjects.into_iter().collect();
    let mut rows: BTreeMap<_, Vec<Value>> = BTreeMap::new();
    for (series, cell) in values {
        let SeriesInfo { subject, scenario, side, metric, unit, better } = series;
        let key = (scenario, side, metric, unit, better.name());
        let row = rows.entry(key).or_insert_with(|| vec![json!(0); subjects.len()]);
        if let Ok(at) = subjects.binary_search(&subject.as_str()) {
            row[at] = json!(cell);
        }
    }
    let rows: Vec<Value> = rows
        .into_iter()
        .map(|((scenario, side, metric, unit, better), cells)| {
            json!([scenario, side, metric, unit, better, cells])
        })
        .collect();
    json!({ "subjects": subjects, "rows": rows })
}

/// How often an interval of so many trials covers the true median, by their number.
pub(super) fn coverages() -> Vec<Value> {
    let coverage = |n: u32| {
        let interval = median_interval(&vec![0.0; n as usize]);
        interval.map(|interval| short(interval.coverage)).unwrap_or_default()
    };
    (0..=MANY).map(coverage).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_protocol::Better;

    #[test]
    fn a_row_a_series_and_a_column_a_subject() {
        let series = |subject: &str, side: &str| SeriesInfo {
            subject: subject.to_owned(),
            scenario: "s".to_owned(),
            side: side.to_owned(),
            metric: "handshakes".to_owned(),
            unit: "handshakes/s".to_owned(),
            better: Better::Higher,
        };
        let cell = |value: f64| vec![json!(value)];
        let all = [
            (series("b", "client"), cell(1.0)),
            (series("a", "client"), cell(2.0)),
            (series("a", "server"), cell(3.0)),
        ];
        let expected = json!({
            "subjects": ["a", "b"],
            "rows": [
                ["s", "client", "handshakes", "handshakes/s", "higher", [[2.0], [1.0]]],
                ["s", "server", "handshakes", "handshakes/s", "higher", [[3.0], 0]],
            ],
        });
        assert_eq!(table(&all), expected);
    }

    #[test]
    fn one_trial_covers_nothing_and_five_cover_fifteen_of_sixteen() {
        let coverages = coverages();
        assert_eq!((&coverages[1], &coverages[5]), (&json!(0), &json!(0.9375)));
        assert!(coverages[6..].iter().all(|one| one.as_f64().unwrap() >= 0.95));
    }
}
