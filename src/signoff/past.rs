//! What the history says of the candidate's stack.

use crate::history;
use anyhow::Result;
use shakedown_gate::Policy;
use shakedown_gate::policy::AcceptedKind;
use shakedown_protocol::{Better, RunRecord, Subject};
use shakedown_report::{
    percent_change, short_revision,
    signoff::{NightComparison, StackHistory, StackRegression},
};
use shakedown_store::{
    Index, Store, StoreError,
    change::{SuspectState, SuspectSummary, came_back},
    query::SeriesFilter,
};
use shakedown_summary::summarize;
use std::{collections::BTreeMap, path::Path};

/// Looks at the history in `folder`; one that is not there has no runs.
///
/// # Errors
/// If it can't be read.
pub fn past(
    folder: &Path,
    record: &RunRecord,
    candidate: &Subject,
    policy: &Policy,
) -> Result<StackHistory> {
    let store = match Store::open(folder) {
        Err(StoreError::NoHistory(_)) => return Ok(StackHistory::default()),
        other => other?,
    };
    let (index, _) = Index::open(&store)?;
    let all = history::listed(&store, &index)?;
    let ours = |one: &&SuspectSummary| {
        one.worse && one.stack == candidate.stack && one.variants == candidate.variants
    };
    let open = all.iter().filter(ours).filter(|one| one.state == SuspectState::Suspect);
    let confirmed = all.iter().filter(ours).filter(|one| {
        one.state == SuspectState::Confirmed && !came_back(one, &all) && !accepted(one, policy)
    });
    Ok(StackHistory {
        runs: index.runs(i64::MIN, usize::MAX)?.len(),
        open: open.map(change).collect(),
        confirmed: confirmed.map(change).collect(),
        seen: seen(&index, record, candidate)?,
    })
}

fn change(one: &SuspectSummary) -> StackRegression {
    let s = &one.series;
    StackRegression {
        id: one.id.clone(),
        what: format!(
            "{} {} {} of {}: {} between {} and {}",
            s.scenario,
            s.side,
            s.metric,
            s.subject,
            percent_change(one.change.factor),
            short_revision(&one.last_good.revision),
            short_revision(&one.first_bad.revision)
        ),
    }
}

/// Whether somebody accepted it, at this size.
fn accepted(one: &SuspectSummary, policy: &Policy) -> bool {
    let s = &one.series;
    let (Ok(scenario), Ok(side), Ok(metric)) =
        (s.scenario.parse(), s.side.parse(), s.metric.parse())
    else {
        return false;
    };
    let entry = policy.accepted(AcceptedKind::Regressed, &scenario, side, metric, &one.stack);
    let worse = match s.better {
        Better::Higher => 1.0 / one.change.factor - 1.0,
        Better::Lower => one.change.factor - 1.0,
    };
    entry.is_some_and(|entry| worse <= entry.size)
}

/// The candidate's numbers beside the newest night of the same host, stack and variants.
fn seen(index: &Index, record: &RunRecord, candidate: &Subject) -> Result<Vec<NightComparison>> {
    let epoch = &record.host.epoch.id;
    let mut newest = BTreeMap::new();
    for trend in index.latest(&SeriesFilter::default(), 10)? {
        let s = &trend.series;
        let same = s.subject.parse::<Subject>().is_ok_and(|subject| {
            subject.stack == candidate.stack && subject.variants == candidate.variants
        });
        let Some(point) = trend.points.iter().rfind(|point| point.epoch == *epoch) else {
            continue;
        };
        if same {
            let key = (s.scenario.clone(), s.side.clone(), s.metric.clone());
            let known = newest.entry(key).or_insert((s.subject.clone(), point.clone()));
            if point.started_ms > known.1.started_ms {
                *known = (s.subject.clone(), point.clone());
            }
        }
    }
    let head = record.subjects.get(1).map(|entry| entry.name.as_str());
    let mut seen = Vec::new();
    for row in summarize(record).rows {
        let key = (row.scenario.to_string(), row.side.to_string(), row.metric.to_string());
        let (Some(value), Some((subject, point))) = (row.median, newest.get(&key)) else {
            continue;
        };
        if Some(row.subject.as_str()) != head || point.median <= 0.0 || value <= 0.0 {
            continue;
        }
        let ratio = value / point.median;
        let (scenario, side, metric) = key;
        seen.push(NightComparison {
            scenario,
            side,
            metric,
            unit: row.unit.to_string(),
            subject: subject.clone(),
            revision: point.revision.clone(),
            night: point.median,
            candidate: value,
            factor: if row.better == Better::Higher { ratio } else { 1.0 / ratio },
        });
    }
    Ok(seen)
}
