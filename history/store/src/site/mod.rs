//! The dashboard: static files that a browser reads from a server or from a disk.
//!
//! The data is in small scripts, because a page from a local disk can load scripts but not fetch
//! files. Each view loads its own data: first the overview, then the newest values of the subjects or
//! the scenario, and trends by subject, scenario and year. Past years never change, and unchanged
//! files are not rewritten.

mod builds;
mod noise;
mod out;
mod overview;
mod trend;

use self::{
    out::SiteWriter,
    overview::{change, newest, overview},
    trend::trend_files,
};
use crate::{
    Index, SeriesInfo, Store, StoreError, canonical, change as changes,
    query::{SeriesFilter, StoredRun},
};
use serde::Serialize;
use serde_json::{Value, json};
use shakedown_protocol::{Subject, SubjectVersion};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// The files of the dashboard itself.
macro_rules! assets {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_bytes!(concat!("../../../dashboard/", $name)) as &[u8])),+]
    };
}
const ASSETS: &[(&str, &[u8])] = assets![
    "index.html",
    "style.css",
    "core.js",
    "overview.js",
    "run.js",
    "compare.js",
    "trend.js",
    "releases.js",
    "scaling.js",
    "hosts.js",
    "start.js",
    "vendor/uPlot.iife.min.js",
    "vendor/uPlot.min.css",
    "vendor/uPlot.LICENSE",
];

/// The result of a build.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SiteBuild {
    /// Written files.
    pub written: usize,
    /// Unchanged files.
    pub kept: usize,
}

/// Writes or updates the dashboard in a folder. `records`: URL of the history's folder, if it is
/// published.
///
/// # Errors
/// If the folder can't be written to, or the index fails.
pub fn build(
    store: &Store,
    index: &Index,
    folder: &Path,
    records: Option<&str>,
) -> Result<SiteBuild, StoreError> {
    let mut out = SiteWriter { folder, built: SiteBuild::default() };
    for (name, content) in ASSETS {
        out.put(name, content)?;
    }
    let mut latest = index.latest(&SeriesFilter::default(), 1)?;
    latest.retain(|trend| !is_one_commit(&trend.series.subject));
    let known = changes::suspects(store)?;
    out.script("overview", &overview(index, &latest, &known, records)?)?;
    let by = |key: fn(&SeriesInfo) -> &String| {
        let mut groups: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
        for trend in &latest {
            groups.entry(key(&trend.series)).or_default().extend(newest(trend));
        }
        groups
    };
    for (subject, rows) in by(|series| &series.subject) {
        out.script(&format!("subject/{}", id(&[subject])), &json!(rows))?;
    }
    for (scenario, rows) in by(|series| &series.scenario) {
        let changes = known.iter().filter(|k| k.suspect.series.scenario == scenario);
        let changes: Vec<Value> = changes.map(change).collect();
        out.script(&format!("changes/{}", id(&[scenario])), &json!(changes))?;
        out.script(&format!("scenario/{}", id(&[scenario])), &json!(rows))?;
    }
    let groups: BTreeSet<(&str, &str)> = latest
        .iter()
        .map(|trend| (trend.series.subject.as_str(), trend.series.scenario.as_str()))
        .collect();
    let runs = runs_of_years(index)?;
    let stamps = stamps(&runs);
    for (year, runs) in &runs {
        let rows: Vec<Value> =
            runs.iter().map(|run| json!([run.started_ms / 1000, run.epoch, run.name])).collect();
        out.script(&format!("runs/{year}"), &json!(rows))?;
        out.script(&format!("builds/{year}"), &builds::of_year(store, index, runs)?)?;
    }
    noise::write(&mut out, index)?;
    for (subject, scenario) in groups {
        trend_files(&mut out, index, subject, scenario, &stamps, &runs)?;
    }
    out.stamps("stamps", &stamps)?;
    Ok(out.built)
}

/// Whether a subject is a commit by its id. Such a subject is measured once, for a suspect or a pull
/// request, and has no trend.
fn is_one_commit(subject: &str) -> bool {
    let named = subject.split('#').next().unwrap_or(subject);
    let full = |id: &str| matches!(id.len(), 40 | 64) && id.bytes().all(|b| b.is_ascii_hexdigit());
    let parsed = subject.parse::<Subject>().or_else(|_| named.parse::<Subject>());
    parsed.is_ok_and(
        |subject| matches!(&subject.version, SubjectVersion::Git { revision, .. } if full(revision)),
    )
}

/// File name for a name, which may contain any character.
fn id(names: &[&str]) -> String {
    let key: String = names.iter().map(|name| format!("{}:{name}", name.len())).collect();
    canonical::sha256(key.as_bytes())[..12].to_owned()
}

/// The runs of each year, oldest first.
fn runs_of_years(index: &Index) -> Result<BTreeMap<String, Vec<StoredRun>>, StoreError> {
    let mut years: BTreeMap<String, Vec<StoredRun>> = BTreeMap::new();
    for run in index.runs(i64::MIN, usize::MAX)?.into_iter().rev() {
        years.entry(run.name[..4].to_owned()).or_default().push(run);
    }
    Ok(years)
}

/// A digest over the runs of each year. A year with the same digest needs no new files.
fn stamps(runs: &BTreeMap<String, Vec<StoredRun>>) -> BTreeMap<String, String> {
    let digest = |runs: &Vec<StoredRun>| {
        let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
        canonical::sha256(names.join("\n").as_bytes())
    };
    runs.iter().map(|(year, runs)| (year.clone(), digest(runs))).collect()
}

/// Five significant digits, one more than any chart or table shows.
fn short(value: f64) -> Value {
    let value: f64 = format!("{value:.4e}").parse().unwrap_or(value);
    // Without the `.0` that only costs room.
    if value.fract() == 0.0 && value.abs() < 1e15 { json!(value as i64) } else { json!(value) }
}

#[cfg(test)]
mod tests;
