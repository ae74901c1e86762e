//! Compares subjects.

use super::{SeriesFilter, Trend, TrendPoint};
use crate::{Index, SeriesInfo, StoreError, index::select_series};
use serde::Serialize;
use shakedown_protocol::Better;
use std::collections::BTreeMap;

/// The latest values of two subjects, side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SeriesComparison {
    /// Scenario.
    pub scenario: String,
    /// Side.
    pub side: String,
    /// Metric.
    pub metric: String,
    /// Unit.
    pub unit: String,
    /// Which way is better.
    pub better: Better,
    /// Value of the first subject.
    pub base: TrendPoint,
    /// Value of the second: from the same run if possible, else from the same epoch.
    pub head: TrendPoint,
    /// How many times as good as `base` `head` is: above 1 is better, whatever the metric.
    pub factor: f64,
}

impl Index {
    /// The latest values of two subjects that share an epoch, sorted by scenario, side and metric.
    ///
    /// # Errors
    /// If one of them was never measured, or they share no epoch.
    pub fn compare(&self, base: &str, head: &str) -> Result<Vec<SeriesComparison>, StoreError> {
        let of = |subject| SeriesFilter { subject: Some(subject), ..SeriesFilter::default() };
        for subject in [base, head] {
            if select_series(&self.connection, &of(subject))?.is_empty() {
                return Err(self.unknown(&of(subject))?);
            }
        }
        let key =
            |s: &SeriesInfo| (s.scenario.clone(), s.side.clone(), s.metric.clone(), s.unit.clone());
        let heads: BTreeMap<_, _> =
            self.latest(&of(head), 32)?.into_iter().map(|t| (key(&t.series), t.points)).collect();
        let mut pairs = Vec::new();
        for trend in self.latest(&of(base), 32)? {
            let Some(points) = heads.get(&key(&trend.series)) else { continue };
            let Some((base, head)) = newest_pair(&trend.points, points) else { continue };
            let SeriesInfo { scenario, side, metric, unit, better, .. } = trend.series;
            let factor = match better {
                Better::Higher => head.median / base.median,
                Better::Lower => base.median / head.median,
            };
            pairs.push(SeriesComparison {
                scenario,
                side,
                metric,
                unit,
                better,
                base,
                head,
                factor,
            });
        }
        if pairs.is_empty() {
            return Err(StoreError::Question(format!(
                "{base} and {head} were not measured in one host epoch lately: run both in one `shakedown run`"
            )));
        }
        Ok(pairs)
    }

    /// The subjects of a scenario by their newest value, best first.
    ///
    /// # Errors
    /// If the scenario was never measured.
    pub fn best(&self, which: &SeriesFilter<'_>) -> Result<Vec<Trend>, StoreError> {
        let mut trends = self.latest(which, 1)?;
        if trends.is_empty() {
            return Err(self.unknown(which)?);
        }
        trends.retain(|trend| !trend.points.is_empty());
        trends.sort_by(|a, b| {
            let group = |t: &Trend| {
                let SeriesInfo { scenario, side, metric, .. } = &t.series;
                (scenario.clone(), side.clone(), metric.clone())
            };
            let value = |t: &Trend| match t.series.better {
                Better::Higher => -t.points[0].median,
                Better::Lower => t.points[0].median,
            };
            group(a).cmp(&group(b)).then(value(a).total_cmp(&value(b)))
        });
        Ok(trends)
    }
}

/// The newest comparable points of two series: of one run, else of one epoch.
fn newest_pair(base: &[TrendPoint], head: &[TrendPoint]) -> Option<(TrendPoint, TrendPoint)> {
    let pairs = || base.iter().rev().flat_map(|b| head.iter().rev().map(move |h| (b, h)));
    let same_run = pairs().find(|(b, h)| b.run == h.run);
    let found = same_run.or_else(|| pairs().find(|(b, h)| b.epoch == h.epoch))?;
    Some((found.0.clone(), found.1.clone()))
}
