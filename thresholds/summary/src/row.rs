//! One row of the table.

use crate::{
    Absence, State, Warning, absence, failed_trials, keys,
    series::{Key, Observation, Series},
    stats::median_interval,
    warning,
};
use serde::Serialize;
use shakedown_protocol::{Better, Metric, RunRecord, Scenario, Side, Unit};

/// What a subject reached in one metric of one side of one scenario.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// Name of the subject's entry in the record.
    pub subject: String,
    /// The scenario.
    pub scenario: Scenario,
    /// The side.
    pub side: Side,
    /// The metric.
    pub metric: Metric,
    /// Unit of `median`, `low` and `high`.
    pub unit: Unit,
    /// Which way is better.
    pub better: Better,
    /// Whether there are numbers.
    pub state: State,
    /// Trials with a value. Flawed ones are among them.
    pub n: usize,
    /// Median over the trials; `None` where nothing was measured.
    pub median: Option<f64>,
    /// Lower end of the interval of the median.
    pub low: Option<f64>,
    /// Upper end of the interval of the median.
    pub high: Option<f64>,
    /// Probability that the interval covers the true median; `None` where there is none.
    pub coverage: Option<f64>,
    /// Trials that the host disturbed; they are kept.
    pub flawed: usize,
    /// Why there are no numbers; `None` where there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub absence: Option<Absence>,
    /// What a reader must know.
    pub warnings: Vec<Warning>,
}

/// The rows of a record: every key that any subject has or should have, times every subject.
pub(super) fn rows(record: &RunRecord, series: &Series<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    for key in keys(record, series) {
        for entry in &record.subjects {
            let points = series.get(&(entry.name.as_str(), key)).map_or(&[][..], Vec::as_slice);
            rows.push(row(record, &entry.name, key, points));
        }
    }
    rows
}

fn row(record: &RunRecord, subject: &str, key: Key, points: &[Observation]) -> Row {
    let values: Vec<f64> = points.iter().map(|point| point.value).collect();
    let interval = median_interval(&values);
    let mut row = Row {
        subject: subject.to_owned(),
        scenario: key.scenario,
        side: key.side,
        metric: key.metric,
        unit: key.metric.unit(),
        better: key.metric.better(),
        state: State::Measured,
        n: points.len(),
        median: interval.map(|i| i.median),
        low: interval.map(|i| i.low),
        high: interval.map(|i| i.high),
        coverage: interval.map(|i| i.coverage),
        flawed: points.iter().filter(|point| !point.flaws.is_empty()).count(),
        absence: None,
        warnings: Vec::new(),
    };
    match interval {
        Some(interval) => row.warnings = warning::of_row(&key, points, &interval),
        None => {
            let absence = absence(record, subject, &key);
            row.state = absence.state();
            row.absence = Some(absence);
        }
    }
    let failed = failed_trials(record, subject, &key, row.n);
    row.warnings.extend(failed.map(Warning::FailedTrials));
    row
}
