//! The data of the first view.

use super::{id, runs_of_years, short};
use crate::{
    Index, SeriesInfo, StoreError,
    change::{SuspectSummary, TrackedSuspect},
    query::{StoredEpoch, Trend},
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Number of runs in the overview.
const LATEST_RUNS: usize = 60;
/// Number of suspects in the overview.
const LATEST_CHANGES: usize = 100;

/// A suspect with its cause.
pub(super) fn change(known: &TrackedSuspect) -> Value {
    let SuspectSummary { cause, stack, .. } = SuspectSummary::new(known.clone(), None);
    let family = known.suspect.series.scenario.split('/').next();
    json!({
        "suspect": known.suspect, "state": known.state,
        "cause": cause, "stack": stack, "family": family,
    })
}

pub(super) fn newest(trend: &Trend) -> Option<Value> {
    let (s, p) = (&trend.series, trend.points.last()?);
    Some(json!({
        "subject": s.subject, "scenario": s.scenario, "side": s.side, "metric": s.metric,
        "unit": s.unit, "better": s.better, "median": short(p.median), "low": short(p.low),
        "high": short(p.high), "n": p.n, "epoch": p.epoch, "t": p.started_ms / 1000,
        "run": p.run, "revision": p.revision,
    }))
}

pub(super) fn overview(
    index: &Index,
    latest: &[Trend],
    known: &[TrackedSuspect],
    records: Option<&str>,
) -> Result<Value, StoreError> {
    let named = |key: fn(&SeriesInfo) -> &String| {
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
    let mut changes: Vec<&TrackedSuspect> = known.iter().take(LATEST_CHANGES).collect();
    changes.sort_by(|a, b| {
        let size = |known: &TrackedSuspect| known.suspect.found.factor.ln().abs();
        b.suspect.worse.cmp(&a.suspect.worse).then(size(b).total_cmp(&size(a)))
    });
    let changes: Vec<Value> = changes.into_iter().map(change).collect();
    Ok(json!({
        "subjects": named(|series| &series.subject),
        "scenarios": named(|series| &series.scenario),
        "trends": places,
        "years": runs_of_years(index)?.into_keys().collect::<Vec<_>>(),
        "runs": runs,
        "repositories": repositories(index, latest)?,
        "records": records,
        "epochs": epochs(index)?,
        "changes": changes,
        "changes_total": known.len(),
    }))
}

/// The repository of each subject in its newest run.
fn repositories(index: &Index, latest: &[Trend]) -> Result<BTreeMap<String, String>, StoreError> {
    let mut found = BTreeMap::new();
    let subjects: BTreeMap<&str, &str> = latest
        .iter()
        .filter_map(|trend| {
            Some((trend.series.subject.as_str(), trend.points.last()?.run.as_str()))
        })
        .collect();
    for (subject, run) in subjects {
        if let Some(repository) = index.repository(run, subject)? {
            found.insert(subject.to_owned(), repository);
        }
    }
    Ok(found)
}

/// First and last run and number of runs of each host epoch.
fn epochs(index: &Index) -> Result<Vec<Value>, StoreError> {
    let value = |e: StoredEpoch| json!({ "epoch": e.id, "noise": id(&[&e.id]), "host": e.host, "first_ms": e.first_ms, "last_ms": e.last_ms, "runs": e.runs, "unfit": e.unfit });
    Ok(index.epochs()?.into_iter().map(value).collect())
}
