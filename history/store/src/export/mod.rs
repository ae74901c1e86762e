//! Exports for other tools. Names can be hostile, so that each format escapes them.

mod openmetrics;
mod parquet;

use crate::{
    Index, StoreError,
    query::{SeriesFilter, Trend, TrendPoint},
};
use serde_json::{Map, Value, json};
use shakedown_protocol::{Better, Scenario};
use std::{io::Write, path::Path};

use openmetrics::openmetrics;
pub use parquet::{ParquetExport, parquet};

/// A format to export to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// Bencher Metric ExportFormat: the newest value of each series.
    Bencher,
    /// github-action-benchmark, metrics where higher is better (`customBiggerIsBetter`).
    GithubBigger,
    /// github-action-benchmark, metrics where lower is better (`customSmallerIsBetter`).
    GithubSmaller,
    /// Comma-separated values, one line per point.
    Csv,
    /// OpenMetrics 1.0 text: the newest value of each series.
    OpenMetrics,
}

impl ExportFormat {
    /// Every format.
    pub const ALL: [Self; 5] =
        [Self::Bencher, Self::GithubBigger, Self::GithubSmaller, Self::Csv, Self::OpenMetrics];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bencher => "bencher",
            Self::GithubBigger => "github-action-benchmark-bigger",
            Self::GithubSmaller => "github-action-benchmark-smaller",
            Self::Csv => "csv",
            Self::OpenMetrics => "openmetrics",
        }
    }
}

crate::formats::by_name!(ExportFormat);

/// Writes the series that are meant, since `since_ms`, in a format. Comma-separated values are
/// written series by series; of the other formats, only the newest value of each series is ever in
/// memory.
///
/// # Errors
/// If nothing fits, or `out` can't be written to.
pub fn export(
    format: ExportFormat,
    index: &Index,
    which: &SeriesFilter<'_>,
    since_ms: i64,
    out: &mut dyn Write,
) -> Result<(), StoreError> {
    let failed = |error| StoreError::io("write", Path::new("the export"))(error);
    if format == ExportFormat::Csv {
        out.write_all(CSV_HEADER.as_bytes()).map_err(failed)?;
        index.each_trend(which, since_ms, |trend| {
            out.write_all(csv_lines(&trend).as_bytes()).map_err(failed)
        })?;
        return out.flush().map_err(failed);
    }
    let mut newest = Vec::new();
    index.each_trend(which, since_ms, |Trend { series, points }| {
        newest.push(Trend { series, points: points.into_iter().next_back().into_iter().collect() });
        Ok(())
    })?;
    out.write_all(rendered(format, &newest).as_bytes()).and_then(|()| out.flush()).map_err(failed)
}

/// Trends in a format.
fn rendered(format: ExportFormat, trends: &[Trend]) -> String {
    match format {
        ExportFormat::Bencher => bencher(trends),
        ExportFormat::GithubBigger => github_action_benchmark(trends, Better::Higher),
        ExportFormat::GithubSmaller => github_action_benchmark(trends, Better::Lower),
        ExportFormat::Csv => {
            CSV_HEADER.to_owned() + &trends.iter().map(csv_lines).collect::<String>()
        }
        ExportFormat::OpenMetrics => openmetrics(trends),
    }
}

fn name(trend: &Trend) -> String {
    let series = &trend.series;
    let mark = if in_tree(trend) { " (in-tree benchmark)" } else { "" };
    format!("{} {} {}{mark}", series.subject, series.scenario, series.side)
}

/// Whether an in-tree benchmark measured the numbers.
fn in_tree(trend: &Trend) -> bool {
    trend.series.scenario.starts_with("intree/")
}

fn bencher(trends: &[Trend]) -> String {
    let mut benchmarks: Map<String, Value> = Map::new();
    for trend in trends {
        let Some(point) = trend.points.last() else { continue };
        let measure = json!({
            "value": point.median, "lower_value": point.low, "upper_value": point.high,
        });
        let measures = benchmarks.entry(name(trend)).or_insert_with(|| json!({}));
        measures[&trend.series.metric] = measure;
    }
    format!("{:#}\n", Value::Object(benchmarks))
}

/// The action supports one direction per file.
fn github_action_benchmark(trends: &[Trend], better: Better) -> String {
    let one = |trend: &Trend| {
        let series = &trend.series;
        let point = trend.points.last().filter(|_| series.better == better)?;
        let reach = (point.high - point.median).max(point.median - point.low);
        Some(json!({
            "name": format!("{} {}", name(trend), series.metric),
            "unit": series.unit,
            "value": point.median,
            "range": format!("± {reach}"),
            "extra": format!(
                "n = {}\nrevision: {}\nepoch: {}\nrun: {}",
                point.n, point.revision, point.epoch, point.run
            ),
        }))
    };
    format!("{:#}\n", Value::Array(trends.iter().filter_map(one).collect()))
}

const CSV_HEADER: &str = "started_ms,run,epoch,revision,subject,scenario,side,metric,unit,better,median,low,high,n,harness\n";

/// A line for each point.
fn csv_lines(trend: &Trend) -> String {
    let (s, harness) = (&trend.series, harness(trend));
    let line = |p: &TrendPoint| {
        let words =
            [&p.run, &p.epoch, &p.revision, &s.subject, &s.scenario, &s.side, &s.metric, &s.unit];
        let words = words.map(|word| cell(word)).join(",");
        let numbers = format!("{},{},{},{},{harness}", p.median, p.low, p.high, p.n);
        format!("{},{words},{},{numbers}\n", p.started_ms, s.better)
    };
    trend.points.iter().map(line).collect()
}

/// The harness: a driver, an in-tree benchmark, or another tool.
fn harness(trend: &Trend) -> &'static str {
    match trend.series.scenario.parse::<Scenario>() {
        Ok(scenario) if scenario.in_tree() => "in-tree benchmark",
        Ok(_) => "driver",
        Err(_) => "other",
    }
}

/// The text without terminal control characters; line breaks and tabs stay.
fn visible(text: &str) -> String {
    let one = |c: char| match c {
        '\n' | '\t' => c.to_string(),
        c if c.is_control() => c.escape_default().to_string(),
        c => c.to_string(),
    };
    text.chars().map(one).collect()
}

/// One cell, quoted as in RFC 4180. An apostrophe precedes texts that a spreadsheet would evaluate as
/// formulas.
fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let text = visible(text);
    let text = if formula { format!("'{text}") } else { text };
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests;
