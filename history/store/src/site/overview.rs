//! The data of the first view.

use super::{SiteLinks, id, numbers::coverages, runs_of_years, short};
use crate::{
    Index, RunName, SeriesInfo, StoreError,
    query::{StoredEpoch, Trend},
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Number of runs in the overview.
const LATEST_RUNS: usize = 60;

/// The newest value of a series.
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
    fronts: &[Value],
    links: &SiteLinks,
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
    let reports: Vec<&str> = links.reports.iter().map(RunName::as_str).collect();
    Ok(json!({
        "subjects": named(|series| &series.subject),
        "scenarios": named(|series| &series.scenario),
        "trends": places,
        "years": runs_of_years(index)?.into_keys().collect::<Vec<_>>(),
        "runs": runs,
        "repositories": repositories(index, latest)?,
        "records": links.records,
        "notice": links.notice,
        "reports": reports,
        "fronts": fronts,
        "coverages": coverages(),
        "epochs": epochs(index)?,
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
    let value = |e: StoredEpoch| json!({ "epoch": e.id, "noise": id(&[&e.id]), "host": e.host, "cpu": e.cpu, "first_ms": e.first_ms, "last_ms": e.last_ms, "runs": e.runs, "unfit": e.unfit });
    Ok(index.epochs()?.into_iter().map(value).collect())
}
