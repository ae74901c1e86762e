//! The dashboard: static files that a browser reads from a server or from a disk.
//!
//! The data is in small scripts, because a page from a local disk can load scripts but not fetch
//! files. Each view loads its own data: first the overview, then the newest values of the subjects or
//! the scenario, and trends by subject, scenario and year. Past years never change, and unchanged
//! files are not rewritten.

mod assets;
mod builds;
mod changes;
mod front;
mod noise;
mod numbers;
mod out;
mod overview;
mod runs;
mod trend;

use self::{
    out::SiteWriter,
    overview::{newest, overview},
    trend::trend_files,
};
use crate::{
    Index, RunName, SeriesInfo, Store, StoreError, canonical, change as suspects,
    query::{SeriesFilter, StoredRun},
};
use serde::Serialize;
use serde_json::{Value, json};
use shakedown_protocol::{Subject, SubjectVersion};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// Version of the data files. Increase it with every change of them: files of past years are kept
/// as they are otherwise.
const LAYOUT: u32 = 2;

/// The result of a build.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct SiteBuild {
    /// Written files.
    pub written: usize,
    /// Unchanged files.
    pub kept: usize,
}

/// What the pages link to.
#[derive(Debug, Clone, Default)]
pub struct SiteLinks {
    /// URL of the history's folder, if it is published.
    pub records: Option<String>,
    /// What stands above every page, such as that the numbers are invented.
    pub notice: Option<String>,
    /// Runs with a report, in `reports/NAME.html` below the dashboard's folder.
    pub reports: BTreeSet<RunName>,
}

/// The runs whose reports people open: the newest `count`, and those that a decision about a change
/// point rests on. Imported runs have none.
///
/// # Errors
/// If the index fails, or a decision can't be read.
pub fn reported(store: &Store, index: &Index, count: usize) -> Result<Vec<RunName>, StoreError> {
    let mut runs = index.runs(i64::MIN, usize::MAX)?;
    runs.retain(|run| run.kind == "run");
    let known = suspects::suspects(store)?;
    let evidence = changes::evidence(&known, &runs);
    let wanted =
        runs.iter().enumerate().filter(|(at, run)| *at < count || evidence.contains(&*run.name));
    wanted.map(|(_, run)| run.name.parse()).collect()
}

/// Writes or updates the dashboard in a folder.
///
/// # Errors
/// If the folder can't be written to, or the index fails.
pub fn build(
    store: &Store,
    index: &Index,
    folder: &Path,
    links: &SiteLinks,
) -> Result<SiteBuild, StoreError> {
    let mut out = SiteWriter { folder, built: SiteBuild::default() };
    assets::write(&mut out)?;
    let mut latest = index.latest(&SeriesFilter::default(), 1)?;
    latest.retain(|trend| !is_one_commit(&trend.series.subject));
    let runs = runs_of_years(index)?;
    let names: BTreeSet<&str> = runs.values().flatten().map(|run| run.name.as_str()).collect();
    let known = changes::worst_first(&suspects::suspects(store)?, &names)?;
    let last_ms = runs.values().flatten().map(|run| run.started_ms).max().unwrap_or_default();
    out.script("changes", &json!(known))?;
    out.script("changes/lately", &json!(changes::lately(&known, last_ms)))?;
    let studies = store.newest_studies()?;
    out.script("claims", &studies.into_iter().map(|study| study.judgement).collect())?;
    let fronts = front::write(&mut out, index)?;
    out.script("overview", &overview(index, &latest, &fronts, links)?)?;
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
        let changes: Vec<&Value> =
            known.iter().filter(|change| change["series"]["scenario"] == *scenario).collect();
        out.script(&format!("changes/{}", id(&[scenario])), &json!(changes))?;
        out.script(&format!("scenario/{}", id(&[scenario])), &json!(rows))?;
    }
    let groups: BTreeSet<(&str, &str)> = latest
        .iter()
        .map(|trend| (trend.series.subject.as_str(), trend.series.scenario.as_str()))
        .collect();
    let stamps = stamps(&runs);
    for (year, runs) in &runs {
        let rows: Vec<Value> =
            runs.iter().map(|run| json!([run.started_ms / 1000, run.epoch, run.name])).collect();
        out.script(&format!("runs/{year}"), &json!(rows))?;
        out.script(&format!("builds/{year}"), &builds::of_year(store, index, runs)?)?;
    }
    noise::write(&mut out, index)?;
    let layout = BTreeMap::from([("layout".to_owned(), layout())]);
    let fresh = out.old_stamps("layout") == layout;
    runs::write(&mut out, index, &runs, fresh)?;
    for (subject, scenario) in groups {
        trend_files(&mut out, index, subject, scenario, &stamps, &runs)?;
    }
    out.stamps("stamps", &stamps)?;
    out.stamps("layout", &layout)?;
    Ok(out.built)
}

/// The versions of the files, and of the rules that make numbers of records.
fn layout() -> String {
    format!("{LAYOUT} {}", crate::index::LAYOUT)
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
        canonical::sha256(format!("{}\n{}", layout(), names.join("\n")).as_bytes())
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
