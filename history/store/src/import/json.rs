//! The formats that are JSON.

use super::{
    ImportFormat, ImportSource, Imported,
    rows::{Rows, UniqueMap, wrong},
    values::import,
};
use crate::{SeriesInfo, SeriesValue, StoreError};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use shakedown_protocol::Better;
use std::path::{Path, PathBuf};

fn parse<T: DeserializeOwned>(path: &Path, text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Line {
        path: path.to_path_buf(),
        line: error.line(),
        reason: error.to_string(),
    })
}

fn series(
    about: &ImportSource,
    scenario: &str,
    metric: &str,
    unit: &str,
    better: Better,
) -> SeriesInfo {
    SeriesInfo {
        subject: about.subject.clone(),
        scenario: scenario.to_owned(),
        side: "both".to_owned(),
        metric: metric.to_owned(),
        unit: unit.to_owned(),
        better,
    }
}

#[derive(Deserialize)]
struct CriterionEstimates {
    median: CriterionEstimate,
}

#[derive(Deserialize)]
struct CriterionEstimate {
    confidence_interval: CriterionInterval,
    point_estimate: f64,
}

#[derive(Deserialize)]
struct CriterionInterval {
    lower_bound: f64,
    upper_bound: f64,
}

/// The file that ends without a number where none of them has one.
fn last(files: &[(PathBuf, String)]) -> &Path {
    files.last().map_or(Path::new(""), |(path, _)| path)
}

/// `target/criterion/GROUP/NAME/new/estimates.json`, in nanoseconds.
pub fn criterion(
    files: &[(PathBuf, String)],
    about: &ImportSource,
) -> Result<Imported, StoreError> {
    let mut rows = Rows::default();
    for (path, text) in files {
        let CriterionEstimates { median } = parse(path, text)?;
        let CriterionInterval { lower_bound, upper_bound } = median.confidence_interval;
        let series = series(about, &criterion_name(path)?, "time", "ns", Better::Lower);
        rows.push(path, series, [lower_bound, median.point_estimate, upper_bound])?;
    }
    let rows = rows.finish(last(files))?;
    let imports = vec![import(ImportFormat::Criterion, about, about.started_ms, rows)];
    Ok(Imported { imports, warnings: Vec::new() })
}

fn criterion_name(path: &Path) -> Result<String, StoreError> {
    let parts: Vec<String> =
        path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let start = parts.iter().rposition(|part| part == "criterion").map_or(0, |at| at + 1);
    // The last two parts are `new` or `base`, and the file.
    let name = parts.get(start..parts.len().saturating_sub(2)).unwrap_or_default().join("/");
    if name.is_empty() {
        let reason = "a benchmark's name is its path: give criterion/NAME/new/estimates.json";
        return Err(wrong(path, reason.to_owned()));
    }
    Ok(name)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Measure {
    value: f64,
    lower_value: Option<f64>,
    upper_value: Option<f64>,
}

/// Bencher Metric ImportFormat: benchmark, measure, value. It says neither unit nor direction; those
/// of Bencher's own measures are known, of others the caller's name must tell.
pub fn bencher(files: &[(PathBuf, String)], about: &ImportSource) -> Result<Imported, StoreError> {
    let mut rows = Rows::default();
    let mut warnings = Vec::new();
    for (path, text) in files {
        let benchmarks: UniqueMap<UniqueMap<Measure>> = parse(path, text)?;
        for (benchmark, measures) in benchmarks.0 {
            for (measure, found) in measures.0 {
                let (unit, better) = measure_meaning(&measure).unwrap_or_else(|| {
                    warnings.push(format!(
                        "{}: measure `{measure}` has no known direction: lower is taken for better",
                        path.display()
                    ));
                    ("", Better::Lower)
                });
                let value = found.value;
                let low = found.lower_value.unwrap_or(value);
                let high = found.upper_value.unwrap_or(value);
                let series = series(about, &benchmark, &measure, unit, better);
                rows.push(path, series, [low, value, high])?;
            }
        }
    }
    let rows = rows.finish(last(files))?;
    let imports = vec![import(ImportFormat::Bencher, about, about.started_ms, rows)];
    Ok(Imported { imports, warnings })
}

fn measure_meaning(measure: &str) -> Option<(&'static str, Better)> {
    if let Ok(metric) = measure.parse::<shakedown_protocol::Metric>() {
        return Some((metric.unit().name(), metric.better()));
    }
    Some(match measure {
        "latency" => ("ns", Better::Lower),
        "throughput" => ("operations/s", Better::Higher),
        "instructions" | "l1-hits" | "l2-hits" | "ram-hits" | "total-read-write"
        | "estimated-cycles" => ("", Better::Lower),
        _ => return None,
    })
}

#[derive(Deserialize)]
struct ActionData {
    entries: UniqueMap<Vec<ActionEntry>>,
}

#[derive(Deserialize)]
struct ActionEntry {
    commit: ActionCommit,
    date: u64,
    tool: String,
    benches: Vec<ActionBench>,
}

#[derive(Deserialize)]
struct ActionCommit {
    id: String,
}

#[derive(Deserialize)]
struct ActionBench {
    name: String,
    value: f64,
    unit: String,
    range: Option<serde_json::Value>,
}

/// `data.js` of a gh-pages branch (an assignment of JSON), or the list that the action's
/// custom tools take.
pub fn github_action_benchmark(
    files: &[(PathBuf, String)],
    about: &ImportSource,
) -> Result<Imported, StoreError> {
    let format = ImportFormat::GithubActionBenchmark;
    let mut imported = Imported::default();
    for (path, text) in files {
        let json =
            text.trim_start().strip_prefix("window.BENCHMARK_DATA").map_or(text.as_str(), |rest| {
                rest.trim_start().trim_start_matches('=').trim_end().trim_end_matches(';')
            });
        if json.trim_start().starts_with('[') {
            let benches: Vec<ActionBench> = parse(path, json)?;
            let rows = bench_rows(path, about, "", &benches)?;
            imported.imports.push(import(format, about, about.started_ms, rows));
            continue;
        }
        let data: ActionData = parse(path, json)?;
        for (suite, entries) in data.entries.0 {
            for entry in entries {
                let rows = bench_rows(path, about, &entry.tool, &entry.benches)?;
                let about = ImportSource { revision: Some(entry.commit.id), ..about.clone() };
                let mut one = import(format, &about, entry.date, rows);
                // Suites of one file are different things, even with the same names in them.
                for row in &mut one.rows {
                    row.series.scenario = format!("{suite}/{}", row.series.scenario);
                }
                imported.imports.push(one);
            }
        }
    }
    Ok(imported)
}

fn bench_rows(
    path: &Path,
    about: &ImportSource,
    tool: &str,
    benches: &[ActionBench],
) -> Result<Vec<SeriesValue>, StoreError> {
    let mut rows = Rows::default();
    for bench in benches {
        let better = direction(tool, &bench.unit);
        let spread = match &bench.range {
            None | Some(serde_json::Value::Null) => 0.0,
            Some(range) => spread(range, bench.value).ok_or_else(|| {
                wrong(path, format!("`{}` of `{}` is no range", range, bench.name))
            })?,
        };
        let series = series(about, &bench.name, "value", &bench.unit, better);
        rows.push(path, series, [bench.value - spread, bench.value, bench.value + spread])?;
    }
    rows.finish(path)
}

/// `± 12`, `+/- 12`, `±3.5%` or `12`.
fn spread(range: &serde_json::Value, value: f64) -> Option<f64> {
    if let Some(number) = range.as_f64() {
        return Some(number.abs());
    }
    let text = range.as_str()?.trim();
    let text = text.trim_start_matches("±").trim_start_matches("+/-").trim().replace(',', "");
    let found = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok()? * value / 100.0,
        None => text.parse().ok()?,
    };
    found.is_finite().then_some(found.abs())
}

fn direction(tool: &str, unit: &str) -> Better {
    let per_second = unit.contains("/s") || unit.contains("ops/sec") || unit == "iter/sec";
    match tool {
        "customBiggerIsBetter" | "benchmarkjs" | "pytest" | "benchmarkluau" => Better::Higher,
        "" if per_second => Better::Higher,
        _ => Better::Lower,
    }
}
