//! The noise between nights for each host epoch, from unchanged code.
//!
//! A release is the same code every night, so that all variation comes from host and build. The
//! estimate uses differences between successive nights instead of deviations from a mean, so that a
//! step counts only once.

use super::{id, out::SiteWriter};
use crate::{
    Index, StoreError,
    query::{StoredEpoch, Trend},
};
use serde_json::{Value, json};
use shakedown_summary::stats::median;
use std::collections::BTreeMap;

/// Number of the newest nights of an epoch to use.
const NIGHTS: usize = 60;
/// Minimum number of nights.
const ENOUGH: usize = 10;
/// Factor from the median absolute value of a normal variable to its standard deviation.
const FROM_MEDIAN: f64 = 0.674_489_750_196_081_7;

/// Writes a file for each epoch with new runs since the last build.
pub(super) fn write(out: &mut SiteWriter<'_>, index: &Index) -> Result<(), StoreError> {
    let before = out.old_stamps("noise");
    let mut stamps = BTreeMap::new();
    for epoch in index.epochs()? {
        let file = format!("noise/{}", id(&[&epoch.id]));
        let stamp = format!("{} {} {}", epoch.first_ms, epoch.last_ms, epoch.runs);
        let fresh = before.get(&epoch.id) == Some(&stamp) && out.has(&format!("data/{file}.js"));
        if fresh {
            out.built.kept += 1;
        } else {
            out.script(&file, &of_epoch(index, &epoch)?)?;
        }
        stamps.insert(epoch.id, stamp);
    }
    out.stamps("noise", &stamps)
}

/// One row per scenario, side and metric, over releases with enough nights.
fn of_epoch(index: &Index, epoch: &StoredEpoch) -> Result<Value, StoreError> {
    let mut groups: BTreeMap<(String, String, String), Vec<(f64, usize)>> = BTreeMap::new();
    for trend in index.nights_of(epoch, NIGHTS)? {
        if let Some(found) = scatter(&trend) {
            let s = trend.series;
            groups.entry((s.scenario, s.side, s.metric)).or_default().push(found);
        }
    }
    let rows: Vec<Value> = groups
        .into_iter()
        .map(|((scenario, side, metric), mut found)| {
            found.sort_by(|a, b| a.0.total_cmp(&b.0));
            let values: Vec<f64> = found.iter().map(|(scatter, _)| *scatter).collect();
            json!({
                "scenario": scenario, "side": side, "metric": metric, "subjects": found.len(),
                "nights": found.iter().map(|(_, nights)| *nights).max(),
                "least": short(values[0]), "middle": median(&values).map(short),
                "most": short(values[values.len() - 1]),
            })
        })
        .collect();
    Ok(json!(rows))
}

/// Rounds to a millionth, below any useful precision.
fn short(share: f64) -> f64 {
    (share * 1e6).round() / 1e6
}

/// Relative standard deviation of a night's value, and the number of nights; `None` if the code
/// changed, or there are too few nights.
fn scatter(trend: &Trend) -> Option<(f64, usize)> {
    let points = &trend.points;
    let first = points.first()?;
    let same = points.iter().all(|point| point.revision == first.revision && point.median > 0.0);
    if points.len() < ENOUGH || !same || first.revision.is_empty() {
        return None;
    }
    let steps: Vec<f64> =
        points.windows(2).map(|pair| (pair[1].median / pair[0].median).ln().abs()).collect();
    Some((median(&steps)? / FROM_MEDIAN / std::f64::consts::SQRT_2, points.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SeriesInfo, query::TrendPoint};

    fn trend(values: &[f64]) -> Trend {
        let point = |(at, value): (usize, &f64)| TrendPoint {
            run: String::new(),
            started_ms: at as i64,
            epoch: "e".to_owned(),
            revision: "openssl@3.5.5".to_owned(),
            median: *value,
            low: *value,
            high: *value,
            n: 5,
        };
        let series = SeriesInfo {
            subject: "openssl@3.5.5".to_owned(),
            scenario: "s".to_owned(),
            side: "client".to_owned(),
            metric: "handshakes".to_owned(),
            unit: "handshakes/s".to_owned(),
            better: shakedown_protocol::Better::Higher,
        };
        Trend { series, points: values.iter().enumerate().map(point).collect() }
    }

    /// The sum of twelve uniform numbers is normal enough.
    fn normal(seed: &mut u64) -> f64 {
        let mut uniform = || {
            *seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (*seed >> 11) as f64 / (1_u64 << 53) as f64
        };
        (0..12).map(|_| uniform()).sum::<f64>() - 6.0
    }

    #[test]
    fn the_scatter_is_the_standard_deviation_and_steps_do_not_count() {
        let mut seed = 7;
        let quiet: Vec<f64> =
            (0..2000).map(|_| 1000.0 * (0.004 * normal(&mut seed)).exp()).collect();
        let (sigma, nights) = scatter(&trend(&quiet)).unwrap();
        assert!((sigma - 0.004).abs() < 0.0003, "{sigma}");
        assert_eq!(nights, 2000);
        let stepped: Vec<f64> =
            quiet.iter().enumerate().map(|(at, v)| if at < 1000 { *v } else { v * 1.3 }).collect();
        assert!((scatter(&trend(&stepped)).unwrap().0 - sigma).abs() < 0.0001);
    }

    #[test]
    fn changing_code_and_few_nights_say_nothing() {
        assert_eq!(scatter(&trend(&[1000.0; 9])), None);
        assert_eq!(scatter(&trend(&[1000.0; 10])), Some((0.0, 10)));
        let mut moved = trend(&[1000.0; 20]);
        moved.points[12].revision = "another".to_owned();
        assert_eq!(scatter(&moved), None);
    }
}
