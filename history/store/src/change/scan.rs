//! The nightly pass over all series.

use super::{Detection, Rule, night::judge, suspects};
use crate::{
    Index, SeriesInfo, Store, StoreError,
    query::{SeriesFilter, Trend, TrendPoint},
};
use shakedown_protocol::Calibration;
use std::collections::HashMap;
use suspects::{Suspect, SuspectDecision, SuspectState};

/// Scans the newest nights of every series and records changes. Returns the new suspects: regressions
/// first, then by size. A second scan in the same night finds nothing new, because each finding starts
/// a new segment. `calibrations` has the epochs with known noise; for a series of another epoch only
/// the rule's floor applies.
///
/// # Errors
/// If the index or the disk fails.
pub fn scan(
    store: &Store,
    index: &Index,
    calibrations: &[Calibration],
    rule: &Rule,
    now_ms: u64,
) -> Result<Vec<Suspect>, StoreError> {
    let _lock = store.lock()?;
    let starts = segment_starts(store)?;
    let noise = SeriesNoise::of(calibrations);
    let mut found = Vec::new();
    for trend in index.latest(&SeriesFilter::default(), rule.window)? {
        if let Some(suspect) = judge_trend(&trend, &starts, &noise, rule) {
            found.push(suspect);
        }
    }
    found.sort_by(|a, b| {
        let size = |s: &Suspect| s.found.factor.ln().abs();
        b.worse.cmp(&a.worse).then(size(b).total_cmp(&size(a)))
    });
    for suspect in &found {
        let event = SuspectDecision {
            suspect: suspect.clone(),
            state: SuspectState::Suspect,
            at_ms: now_ms,
            evidence: format!("p {:.1e} over the nights", suspect.found.p),
            bisection: None,
        };
        suspects::record(store, &event)?;
    }
    Ok(found)
}

/// Standard deviation of unchanged code, as a fraction, by epoch, scenario, side and metric.
struct SeriesNoise(HashMap<(String, String, String, String), f64>);

impl SeriesNoise {
    fn of(calibrations: &[Calibration]) -> Self {
        let all =
            calibrations.iter().flat_map(|one| one.noise.iter().map(move |noise| (one, noise)));
        Self(
            all.map(|(calibration, noise)| {
                let [scenario, side, metric] =
                    [noise.scenario.to_string(), noise.side.to_string(), noise.metric.to_string()];
                let key = (calibration.epoch.clone(), scenario, side, metric);
                (key, f64::from(noise.sigma_ppm) / 1e6)
            })
            .collect(),
        )
    }

    fn sigma(&self, series: &SeriesInfo, epoch: &str) -> Option<f64> {
        let SeriesInfo { scenario, side, metric, .. } = series.clone();
        self.0.get(&(epoch.to_owned(), scenario, side, metric)).copied()
    }
}

type Starts = HashMap<(SeriesInfo, String), i64>;

/// Start of the newest segment of a series: its last decided change.
fn segment_starts(store: &Store) -> Result<Starts, StoreError> {
    let mut starts = Starts::new();
    for known in suspects::suspects(store)? {
        let Suspect { series, epoch, first_bad_ms, .. } = known.suspect;
        let start = starts.entry((series, epoch)).or_insert(first_bad_ms);
        *start = (*start).max(first_bad_ms);
    }
    Ok(starts)
}

/// The newest comparable points: from the last change on, and without a break in the newest point's
/// epoch. A host that changed and changed back does not count as the same.
fn segment<'a>(trend: &'a Trend, starts: &Starts) -> &'a [TrendPoint] {
    let Some(newest) = trend.points.last() else { return &[] };
    let start = starts.get(&(trend.series.clone(), newest.epoch.clone())).copied();
    let same = trend
        .points
        .iter()
        .rev()
        .take_while(|point| point.epoch == newest.epoch)
        .take_while(|point| start.is_none_or(|start| point.started_ms >= start))
        .count();
    &trend.points[trend.points.len() - same..]
}

fn judge_trend(
    trend: &Trend,
    starts: &Starts,
    noise: &SeriesNoise,
    rule: &Rule,
) -> Option<Suspect> {
    let points = segment(trend, starts);
    let values: Vec<f64> = points.iter().map(|point| point.median).collect();
    let sigma = points.last().and_then(|point| noise.sigma(&trend.series, &point.epoch));
    let found: Detection = judge(&values, sigma, rule)?;
    Some(Suspect::new(&trend.series, found, &points[found.index - 1], &points[found.index]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        change::{decide, suspects},
        testing::{NOW, text},
    };

    fn rate(night: u64) -> f64 {
        let wobble = ((night * 7919 + 13) % 101) as f64 / 1e5;
        (1000.0 + 1000.0 * wobble) * if night >= 20 { 0.96 } else { 1.0 }
    }

    /// Adds a run and scans each night. Returns the findings by night.
    fn live(
        store: &Store,
        nights: u64,
        epoch: impl Fn(u64) -> &'static str,
    ) -> Vec<(u64, Suspect)> {
        let rule = Rule::for_budget(1.0, 4);
        let mut found = Vec::new();
        for night in 0..nights {
            store.add(&text(night, epoch(night), rate(night)), NOW).unwrap();
            let (index, _) = Index::open(store).unwrap();
            for suspect in scan(store, &index, &[], &rule, NOW + night).unwrap() {
                found.push((night, suspect));
            }
        }
        found
    }

    #[test]
    fn a_change_is_found_once_kept_and_decided() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(folder.path()).unwrap();
        let found = live(&store, 40, |_| "e1");
        // Client and server of the subject that changed; nothing of the other one.
        assert_eq!(found.len(), 2, "{found:?}");
        for (night, suspect) in &found {
            assert_eq!(*night, 22, "three nights after");
            assert!(suspect.worse);
            assert_eq!(suspect.last_good, format!("{:040x}", 19));
            assert_eq!(suspect.first_bad, format!("{:040x}", 20));
        }
        let known = suspects(&store).unwrap();
        assert!(known.len() == 2 && known.iter().all(|known| known.state == SuspectState::Suspect));
        let id = &found[0].1.id;
        let decided = decide(&store, id, SuspectState::Dismissed, "run x", NOW + 99).unwrap();
        assert_eq!(decided.state, SuspectState::Dismissed);
        assert_eq!(decided.decisions.len(), 2);
        let error =
            decide(&store, "nobody", SuspectState::Confirmed, "", NOW).unwrap_err().to_string();
        assert!(error.contains("history changes"), "{error}");
    }

    #[test]
    fn another_host_epoch_is_a_break_and_no_regression() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_or_create(folder.path()).unwrap();
        let found = live(&store, 40, |night| if night < 20 { "e1" } else { "e2" });
        assert_eq!(found, []);
    }
}
