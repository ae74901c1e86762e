//! The data of trends.

use super::{id, out::SiteWriter, short};
use crate::{
    Index, StoreError,
    query::{SeriesFilter, StoredRun, Trend, TrendPoint},
};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};

fn year_start(year: &str) -> i64 {
    let year: i16 = year.parse().unwrap_or(1970);
    jiff::civil::date(year, 1, 1)
        .to_zoned(jiff::tz::TimeZone::UTC)
        .map_or(0, |start| start.timestamp().as_millisecond())
}

/// The files of one subject and scenario: one a year.
pub(super) fn trend_files(
    out: &mut SiteWriter<'_>,
    index: &Index,
    subject: &str,
    scenario: &str,
    stamps: &BTreeMap<String, String>,
    runs: &BTreeMap<String, Vec<StoredRun>>,
) -> Result<(), StoreError> {
    let id = id(&[subject, scenario]);
    // Of the years that are still as they were, the files need not even be made.
    let old = out.old_stamps("stamps");
    let fresh = |year: &str| {
        old.get(year) == stamps.get(year) && out.has(&format!("data/trend/{id}-{year}.js"))
    };
    let Some(first) = stamps.keys().find(|year| !fresh(year)).cloned() else {
        out.built.kept += stamps.len();
        return Ok(());
    };
    out.built.kept += stamps.keys().filter(|year| **year < first).count();
    let which = SeriesFilter {
        subject: Some(subject),
        scenario: Some(scenario),
        ..SeriesFilter::default()
    };
    let trends = index.trends(&which, year_start(&first))?;
    for (year, runs) in runs.iter().filter(|(year, _)| **year >= first) {
        out.script(&format!("trend/{id}-{year}"), &columns(&trends, year, runs))?;
    }
    Ok(())
}

/// The series of one subject and scenario in one year, as columns. `at` has the runs of the year with
/// points; every series has a value or null for each of them.
fn columns(trends: &[Trend], year: &str, runs: &[StoredRun]) -> Value {
    let of_year = |trend: &'_ Trend| -> HashMap<String, TrendPoint> {
        let points = trend.points.iter().filter(|point| point.run.starts_with(year));
        points.map(|point| (point.run.clone(), point.clone())).collect()
    };
    let points: Vec<HashMap<String, TrendPoint>> = trends.iter().map(of_year).collect();
    let there = |run: &StoredRun| points.iter().find_map(|points| points.get(&run.name));
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
    let column = |points: &HashMap<String, TrendPoint>,
                  value: fn(&TrendPoint) -> f64|
     -> Vec<Value> {
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
