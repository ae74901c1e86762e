//! How quiet a host was: an A/A run, summed up for whoever looks after the host.

use crate::{
    calibrate::{CalibrateError, effects, sound},
    policy::Policy,
    rule::TimeRule,
};
use serde::Serialize;
use shakedown_protocol::{Metric, RunRecord, Side};
use shakedown_summary::series::{Key, Observation, series};
use shakedown_summary::stats::{mean, median, normal_quantile};
use std::collections::{BTreeMap, BTreeSet};

/// How one timed metric of one side moved, over the scenarios of a family.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FamilyNoise {
    /// Family of scenarios.
    pub family: String,
    /// Side.
    pub side: Side,
    /// Metric.
    pub metric: Metric,
    /// Scenarios.
    pub scenarios: usize,
    /// Blocks, all scenarios together.
    pub blocks: usize,
    /// Root mean square of the blocks' effects, as a share: unchanged code has an effect of
    /// zero, so this is how far a block is off.
    pub rms_effect: f64,
    /// The same of the noisiest scenario.
    pub max_rms_effect: f64,
    /// By how much the values of the last third of the blocks lie above those of the first,
    /// as a share; the median over the scenarios.
    pub drift: f64,
    /// The smallest slowdown that the policy's rule would find nine times in ten, as a share,
    /// with as many blocks as the policy allows and this much noise.
    pub minimum_detectable_effect: f64,
}

/// The noise that an A/A run saw, by family, side and timed metric.
///
/// # Errors
/// When the record is not of unchanged code, contradicts itself, or has no block that counts.
pub fn noise(record: &RunRecord, policy: &Policy) -> Result<Vec<FamilyNoise>, CalibrateError> {
    sound(record, &record.host.epoch.id)?;
    let mut groups: BTreeMap<(String, Side, Metric), BTreeMap<Key, Vec<f64>>> = BTreeMap::new();
    let mut tests = BTreeSet::new();
    for (key, effect) in effects(record, &policy.budget) {
        tests.insert(key);
        let group = (key.scenario.family().to_owned(), key.side, key.metric);
        groups.entry(group).or_default().entry(key).or_default().push(effect);
    }
    if groups.is_empty() {
        return Err(CalibrateError::Disturbed { runs: 1 });
    }
    let values = series(record);
    let base = record.subjects.first().map_or("", |entry| entry.name.as_str());
    let found = groups.into_iter().map(|((family, side, metric), scenarios)| {
        let spreads = scenarios.values().map(|effects| root_mean_square(effects));
        let all: Vec<f64> = scenarios.values().flatten().copied().collect();
        let rms_effect = root_mean_square(&all);
        let drifts: Vec<f64> = scenarios
            .keys()
            .filter_map(|key| drift(values.get(&(base, *key)).map_or(&[], Vec::as_slice)))
            .collect();
        FamilyNoise {
            scenarios: scenarios.len(),
            blocks: all.len(),
            max_rms_effect: spreads.fold(0.0, f64::max),
            drift: median(&drifts).unwrap_or(0.0),
            minimum_detectable_effect: scenarios.keys().next().map_or(f64::INFINITY, |key| {
                minimum_detectable_effect(record, key, rms_effect, tests.len(), policy)
            }),
            rms_effect,
            family,
            side,
            metric,
        }
    });
    Ok(found.collect())
}

fn root_mean_square(effects: &[f64]) -> f64 {
    let squares: Vec<f64> = effects.iter().map(|effect| effect * effect).collect();
    mean(&squares).unwrap_or(0.0).sqrt()
}

/// The last third against the first one.
fn drift(points: &[Observation]) -> Option<f64> {
    let third = points.len() / 3;
    let middle = |points: &[Observation]| {
        median(&points.iter().map(|point| point.value).collect::<Vec<f64>>())
    };
    let (first, last) = (middle(&points[..third])?, middle(&points[points.len() - third..])?);
    Some(last / first - 1.0).filter(|share| share.is_finite())
}

/// By the rule itself, after its last block.
fn minimum_detectable_effect(
    record: &RunRecord,
    key: &Key,
    rms_effect: f64,
    tests: usize,
    policy: &Policy,
) -> f64 {
    let max_blocks = policy.budget.blocks;
    let stack = record.subjects.first().map_or("", |entry| entry.asked.stack.as_str());
    let settings = policy.settings(&key.scenario, key.side, key.metric, stack);
    let rule = TimeRule {
        margin: settings.margin,
        non_inferiority_margin: settings.non_inferiority_margin,
        max_blocks,
        false_alarms: policy.false_alarms,
        tests,
    };
    let se = rms_effect / f64::from(max_blocks).sqrt();
    let beyond = rule.critical(30.0, max_blocks as usize) + normal_quantile(0.9);
    (rule.margin.ln_1p() + beyond * se).exp_m1()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_summary::fixture;

    #[test]
    fn spread_and_drift_are_those_of_the_blocks() {
        let record = fixture::unchanged(&[0.01, -0.01, 0.01, -0.01]);
        let policy = Policy::shipped().unwrap();
        let found = noise(&record, &policy).unwrap();
        let of = |one: &&FamilyNoise| (one.metric, one.side) == (Metric::Handshakes, Side::Client);
        let rate = found.iter().find(of).unwrap();
        assert!((rate.rms_effect - 0.01).abs() < 2e-4, "{rate:?}");
        assert_eq!((rate.scenarios, rate.blocks), (1, 4));
        assert!(rate.drift.abs() < 0.02 && rate.max_rms_effect >= rate.rms_effect, "{rate:?}");
        // One percent of noise over four blocks: half a percent, several times, on the margin.
        assert!((0.02..0.05).contains(&rate.minimum_detectable_effect), "{rate:?}");
    }

    #[test]
    fn changed_code_is_no_calibration() {
        let mut record = fixture::unchanged(&[0.0; 4]);
        record.subjects[1].artifact.source.sha256 = "of something else".to_owned();
        assert!(matches!(
            noise(&record, &Policy::shipped().unwrap()),
            Err(CalibrateError::Changed { .. })
        ));
    }
}
