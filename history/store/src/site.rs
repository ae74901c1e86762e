//! The dashboard: static files that a browser reads from a server or from a disk.
//!
//! Data lies in small scripts, because a page that was opened from a disk may load scripts but
//! not fetch files. Each view loads what it shows: the overview first, then the newest values of
//! the subjects or the scenario in question, and trends by subject, scenario and year. Years
//! that are over never change, and what has not changed is not written again.

use crate::{
    Index, Series, Store, StoreError, canonical,
    change::{self, Known},
    files,
    query::{Point, Run, Trend, Which},
};
use serde::Serialize;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    path::Path,
};

/// The files of the dashboard itself.
const ASSETS: [(&str, &[u8]); 6] = [
    ("index.html", include_bytes!("../../dashboard/index.html")),
    ("app.js", include_bytes!("../../dashboard/app.js")),
    ("style.css", include_bytes!("../../dashboard/style.css")),
    ("vendor/uPlot.iife.min.js", include_bytes!("../../dashboard/vendor/uPlot.iife.min.js")),
    ("vendor/uPlot.min.css", include_bytes!("../../dashboard/vendor/uPlot.min.css")),
    ("vendor/uPlot.LICENSE", include_bytes!("../../dashboard/vendor/uPlot.LICENSE")),
];
/// Runs that the overview lists.
const LATEST_RUNS: usize = 60;
/// Suspects that the overview lists.
const LATEST_CHANGES: usize = 100;

/// What was built.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Built {
    /// Files that were written.
    pub written: usize,
    /// Files that were there already, with the same content or of a year that is over.
    pub kept: usize,
}

/// Writes the dashboard into a folder; what is there from before is brought up to date.
///
/// # Errors
/// If the folder can't be written to, or the index fails.
pub fn build(store: &Store, index: &Index, folder: &Path) -> Result<Built, StoreError> {
    let mut out = Out { folder, built: Built::default() };
    for (name, content) in ASSETS {
        out.put(name, content)?;
    }
    let latest = index.latest(&Which::default(), 1)?;
    let known = change::suspects(store)?;
    out.script("overview", &overview(index, &latest, &known)?)?;
    let by = |key: fn(&Series) -> &String| {
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
    }
    for (subject, scenario) in groups {
        trend_files(&mut out, index, subject, scenario, &stamps, &runs)?;
    }
    out.put("data/stamps.json", serde_json::to_string(&stamps).unwrap_or_default().as_bytes())?;
    Ok(out.built)
}

/// File name of a thing: names may hold anything.
fn id(names: &[&str]) -> String {
    let key: String = names.iter().map(|name| format!("{}:{name}", name.len())).collect();
    canonical::sha256(key.as_bytes())[..12].to_owned()
}

/// The runs of each year, oldest first.
fn runs_of_years(index: &Index) -> Result<BTreeMap<String, Vec<Run>>, StoreError> {
    let mut years: BTreeMap<String, Vec<Run>> = BTreeMap::new();
    for run in index.runs(i64::MIN, usize::MAX)?.into_iter().rev() {
        years.entry(run.name[..4].to_owned()).or_default().push(run);
    }
    Ok(years)
}

/// A digest over the runs of each year: a year whose digest stays needs no new files.
fn stamps(runs: &BTreeMap<String, Vec<Run>>) -> BTreeMap<String, String> {
    let digest = |runs: &Vec<Run>| {
        let names: Vec<&str> = runs.iter().map(|run| run.name.as_str()).collect();
        canonical::sha256(names.join("\n").as_bytes())
    };
    runs.iter().map(|(year, runs)| (year.clone(), digest(runs))).collect()
}

fn year_start(year: &str) -> i64 {
    let year: i16 = year.parse().unwrap_or(1970);
    jiff::civil::date(year, 1, 1)
        .to_zoned(jiff::tz::TimeZone::UTC)
        .map_or(0, |start| start.timestamp().as_millisecond())
}

fn trend_files(
    out: &mut Out<'_>,
    index: &Index,
    subject: &str,
    scenario: &str,
    stamps: &BTreeMap<String, String>,
    runs: &BTreeMap<String, Vec<Run>>,
) -> Result<(), StoreError> {
    let id = id(&[subject, scenario]);
    // Of the years that are still as they were, the files need not even be made.
    let old = out.old_stamps();
    let fresh = |year: &str| {
        old.get(year) == stamps.get(year) && out.has(&format!("data/trend/{id}-{year}.js"))
    };
    let Some(first) = stamps.keys().find(|year| !fresh(year)).cloned() else {
        out.built.kept += stamps.len();
        return Ok(());
    };
    out.built.kept += stamps.keys().filter(|year| **year < first).count();
    let which = Which { subject: Some(subject), scenario: Some(scenario), ..Which::default() };
    let trends = index.trends(&which, year_start(&first))?;
    for (year, runs) in runs.iter().filter(|(year, _)| **year >= first) {
        out.script(&format!("trend/{id}-{year}"), &columns(&trends, year, runs))?;
    }
    Ok(())
}

/// The series of one subject and scenario in one year, as columns: `at` says at which runs of
/// the year there are points, and every series has a value or null for each of them.
fn columns(trends: &[Trend], year: &str, runs: &[Run]) -> Value {
    let of_year = |trend: &'_ Trend| -> HashMap<String, Point> {
        let points = trend.points.iter().filter(|point| point.run.starts_with(year));
        points.map(|point| (point.run.clone(), point.clone())).collect()
    };
    let points: Vec<HashMap<String, Point>> = trends.iter().map(of_year).collect();
    let there = |run: &Run| points.iter().find_map(|points| points.get(&run.name));
    let at: Vec<usize> = (0..runs.len()).filter(|at| there(&runs[*at]).is_some()).collect();
    // Revisions repeat for releases; each is written once and referred to.
    let mut revisions: Vec<&str> = Vec::new();
    let mut refer = |at: &usize| {
        let revision = there(&runs[*at]).map_or("", |point| point.revision.as_str());
        revisions.iter().position(|known| *known == revision).unwrap_or_else(|| {
            revisions.push(revision);
            revisions.len() - 1
        })
    };
    let revision: Vec<usize> = at.iter().map(&mut refer).collect();
    let column = |points: &HashMap<String, Point>, value: fn(&Point) -> f64| -> Vec<Value> {
        let of = |at: &usize| points.get(&runs[*at].name).map_or(Value::Null, |p| short(value(p)));
        at.iter().map(of).collect()
    };
    let series = trends.iter().zip(&points).map(|(trend, points)| {
        let s = &trend.series;
        json!({
            "side": s.side, "metric": s.metric, "unit": s.unit, "better": s.better,
            "median": column(points, |p| p.median), "low": column(points, |p| p.low),
            "high": column(points, |p| p.high), "n": column(points, |p| f64::from(p.n)),
        })
    });
    let series: Vec<Value> = series.collect();
    json!({ "at": at, "revision": revision, "revisions": revisions, "series": series })
}

/// Five significant digits, one more than any chart or table shows.
fn short(value: f64) -> Value {
    let value: f64 = format!("{value:.4e}").parse().unwrap_or(value);
    // Without the `.0` that only costs room.
    if value.fract() == 0.0 && value.abs() < 1e15 { json!(value as i64) } else { json!(value) }
}

fn change(known: &Known) -> Value {
    json!({ "suspect": known.suspect, "state": known.state })
}

fn newest(trend: &Trend) -> Option<Value> {
    let (s, p) = (&trend.series, trend.points.last()?);
    Some(json!({
        "subject": s.subject, "scenario": s.scenario, "side": s.side, "metric": s.metric,
        "unit": s.unit, "better": s.better, "median": short(p.median), "low": short(p.low),
        "high": short(p.high), "n": p.n, "epoch": p.epoch, "t": p.started_ms / 1000,
        "run": p.run, "revision": p.revision,
    }))
}

fn overview(index: &Index, latest: &[Trend], known: &[Known]) -> Result<Value, StoreError> {
    let named = |key: fn(&Series) -> &String| {
        let names: BTreeSet<&String> = latest.iter().map(|trend| key(&trend.series)).collect();
        names.into_iter().map(|name| json!([name, id(&[name])])).collect::<Vec<_>>()
    };
    let all: BTreeSet<&String> = latest.iter().map(|trend| &trend.series.subject).collect();
    // One row a scenario, one column a subject: the name of the trend's files.
    let mut ids: BTreeMap<&String, BTreeMap<&String, String>> = BTreeMap::new();
    for Trend { series, .. } in latest {
        let of = ids.entry(&series.scenario).or_default();
        of.insert(&series.subject, id(&[&series.subject, &series.scenario]));
    }
    let order: Vec<&String> = all.iter().copied().collect();
    let places: Vec<Value> = ids
        .values()
        .map(|of| json!(order.iter().map(|subject| of.get(subject)).collect::<Vec<_>>()))
        .collect();
    let runs = index.runs(i64::MIN, LATEST_RUNS)?;
    let mut changes: Vec<&Known> = known.iter().take(LATEST_CHANGES).collect();
    changes.sort_by(|a, b| {
        let size = |known: &Known| known.suspect.found.factor.ln().abs();
        b.suspect.worse.cmp(&a.suspect.worse).then(size(b).total_cmp(&size(a)))
    });
    let changes: Vec<Value> = changes.into_iter().map(change).collect();
    Ok(json!({
        "subjects": named(|series| &series.subject),
        "scenarios": named(|series| &series.scenario),
        "trends": places,
        "years": runs_of_years(index)?.into_keys().collect::<Vec<_>>(),
        "runs": runs,
        "epochs": epochs(index)?,
        "changes": changes,
        "changes_total": known.len(),
    }))
}

/// When each host epoch was seen first and last, and in how many runs.
fn epochs(index: &Index) -> Result<Vec<Value>, StoreError> {
    let mut epochs: BTreeMap<String, (i64, i64, usize, usize, String)> = BTreeMap::new();
    for run in index.runs(i64::MIN, usize::MAX)? {
        let entry =
            epochs.entry(run.epoch).or_insert((run.started_ms, run.started_ms, 0, 0, run.host));
        entry.0 = entry.0.min(run.started_ms);
        entry.1 = entry.1.max(run.started_ms);
        entry.2 += 1;
        entry.3 += usize::from(!run.fit);
    }
    let mut epochs: Vec<_> = epochs.into_iter().collect();
    epochs.sort_by_key(|(_, (first, ..))| std::cmp::Reverse(*first));
    let value = |(epoch, (first, last, runs, unfit, host))| json!({ "epoch": epoch, "host": host, "first_ms": first, "last_ms": last, "runs": runs, "unfit": unfit });
    Ok(epochs.into_iter().map(value).collect())
}

struct Out<'a> {
    folder: &'a Path,
    built: Built,
}

impl Out<'_> {
    fn has(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    fn old_stamps(&self) -> BTreeMap<String, String> {
        let text = fs::read(self.folder.join("data/stamps.json")).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// A data file: a call that hands the data to the page.
    fn script(&mut self, name: &str, data: &Value) -> Result<(), StoreError> {
        let text = format!("shakedownData({},{data});\n", json!(name));
        self.put(&format!("data/{name}.js"), text.as_bytes())
    }

    fn put(&mut self, name: &str, content: &[u8]) -> Result<(), StoreError> {
        let path = self.folder.join(name);
        if fs::read(&path).is_ok_and(|old| old == content) {
            self.built.kept += 1;
            return Ok(());
        }
        files::make_folder(path.parent().unwrap_or(self.folder))?;
        // Derived, and written again by the next build: no need to wait for the disk.
        fs::write(&path, content).map_err(StoreError::io("write", &path))?;
        self.built.written += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{NOW, record, summarize, text};

    fn data(folder: &Path, name: &str) -> Value {
        let text = fs::read_to_string(folder.join(format!("data/{name}.js"))).unwrap();
        let start = text.find(',').unwrap() + 1;
        serde_json::from_str(text[start..].trim_end().trim_end_matches(");")).unwrap()
    }

    #[test]
    fn a_build_holds_every_point_and_the_next_writes_what_is_new() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("history")).unwrap();
        let out = folder.path().join("site");
        for night in 0..60 {
            store.add(&text(night, "e1", 1000.0 + night as f64), NOW).unwrap();
        }
        let (index, _) = Index::open(&store, &summarize).unwrap();
        let first = build(&store, &index, &out).unwrap();
        assert_eq!(first.kept, 0);
        let again = build(&store, &index, &out).unwrap();
        assert_eq!(again.written, 0, "{again:?}");

        let overview = data(&out, "overview");
        // The nights cross a year's end.
        assert_eq!(overview["years"], json!(["2026", "2027"]));
        let id = overview["trends"][0][1].as_str().unwrap();
        let points = |year: &str| {
            let series = data(&out, &format!("trend/{id}-{year}"));
            series["series"][0]["median"].as_array().unwrap().len()
        };
        assert_eq!(points("2026") + points("2027"), 60);

        store.add(&text(60, "e1", 1060.0), NOW).unwrap();
        let (index, _) = Index::open(&store, &summarize).unwrap();
        let old = fs::metadata(out.join(format!("data/trend/{id}-2026.js"))).unwrap();
        let next = build(&store, &index, &out).unwrap();
        let new = fs::metadata(out.join(format!("data/trend/{id}-2026.js"))).unwrap();
        assert_eq!(old.modified().unwrap(), new.modified().unwrap(), "a year that is over stays");
        assert!(next.written > 0);
        assert_eq!(points("2026") + points("2027"), 61);
    }

    #[test]
    fn hostile_names_stay_in_their_strings_and_folders() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("history")).unwrap();
        let evil = "../../</script><img src=x onerror=alert(1)>\"\\";
        let mut run = record(0, "e1", &[("openssl@3.5.5", [1.0, 2.0])]);
        run.subjects[0].name = evil.to_owned();
        run.trials[0].subject = evil.to_owned();
        store.add(&serde_json::to_string(&run).unwrap(), NOW).unwrap();
        let (index, _) = Index::open(&store, &summarize).unwrap();
        let out = folder.path().join("site");
        build(&store, &index, &out).unwrap();
        assert_eq!(data(&out, "overview")["subjects"][0][0], json!(evil));
        let mut here = files::names(folder.path()).unwrap();
        here.sort();
        assert_eq!(here, ["history", "site"]);
    }
}
