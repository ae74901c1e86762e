//! Learning how much a host moves, from unchanged code compared with itself.

mod spread;

use crate::{
    blocks::{Blocks, blocks},
    policy::Budget,
    rule::BlockEffect,
    unchanged::is_unchanged,
};
use shakedown_protocol::{Calibration, Metric, MetricNoise, RunRecord, Scenario, Side};
use shakedown_summary::series::{Key, series};
pub use spread::PairSpread;
use std::collections::BTreeMap;

/// Why noise can't be learned from these records.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CalibrateError {
    /// No records.
    #[error("there is no A/A run to learn from: compare a subject with itself first")]
    Nothing,
    /// Not unchanged code.
    #[error(
        "run {run} is no A/A run: its two subjects are not the same code built with the same flags. Noise that is learned from changing code hides the next regression"
    )]
    Changed {
        /// Id of the run.
        run: String,
    },
    /// Two epochs.
    #[error(
        "run {run} is of epoch {found}, the first one of {epoch}: noise holds inside one epoch only"
    )]
    Epochs {
        /// Id of the run.
        run: String,
        /// Its epoch.
        found: String,
        /// Epoch of the first run.
        epoch: String,
    },
    /// No block that counts.
    #[error(
        "the {runs} A/A runs have no block to learn from: the host disturbed more than half of the pairs in each, or each is too short. Quiet the host (`shakedown host check`) and measure again"
    )]
    Disturbed {
        /// Runs that were looked at.
        runs: usize,
    },
    /// A record that contradicts itself.
    #[error("run {run}: {message}")]
    Record {
        /// Id of the run.
        run: String,
        /// What is wrong with it.
        message: String,
    },
}

/// Learns the noise of every scenario, side and timed metric from A/A runs of one epoch: the
/// spread of the pairs around zero, which is what they are known to be. Pairs of the same two links
/// share the luck of two layouts, so that their products tell the layouts from the rest.
///
/// # Errors
/// When there is no run, or one is not of unchanged code, not of the same epoch, or unsound.
pub fn calibrate(records: &[&RunRecord], budget: &Budget) -> Result<Calibration, CalibrateError> {
    let first = records.first().ok_or(CalibrateError::Nothing)?;
    let epoch = first.host.epoch.id.clone();
    let mut spreads: BTreeMap<(Scenario, Side, Metric), PairSpread> = BTreeMap::new();
    for record in records {
        sound(record, &epoch)?;
        for (key, blocks) in timed_blocks(record, budget) {
            let spread = spreads.entry((key.scenario, key.side, key.metric)).or_default();
            spread.add(&blocks.effects());
        }
    }
    let noise: Vec<MetricNoise> = spreads
        .into_iter()
        .filter_map(|((scenario, side, metric), spread)| spread.noise(scenario, side, metric))
        .collect();
    if noise.is_empty() {
        return Err(CalibrateError::Disturbed { runs: records.len() });
    }
    let runs = records.iter().map(|record| record.id.clone()).collect();
    Ok(Calibration { epoch, runs, noise })
}

/// Refuses a record that is not a sound A/A run of this epoch.
pub(crate) fn sound(record: &RunRecord, epoch: &str) -> Result<(), CalibrateError> {
    let run = record.id.clone();
    record
        .validate()
        .map_err(|error| CalibrateError::Record { run: run.clone(), message: error.to_string() })?;
    if !is_unchanged(record) {
        return Err(CalibrateError::Changed { run });
    }
    if record.host.epoch.id != epoch {
        let found = record.host.epoch.id.clone();
        return Err(CalibrateError::Epochs { run, found, epoch: epoch.to_owned() });
    }
    Ok(())
}

/// The effect of every undisturbed block.
pub(crate) fn effects(record: &RunRecord, budget: &Budget) -> Vec<(Key, f64)> {
    let mut found = Vec::new();
    for (key, blocks) in timed_blocks(record, budget) {
        for pairs in blocks.effects() {
            let effect = BlockEffect::of(&pairs).map(|block| block.effect);
            found.extend(effect.filter(|effect| effect.is_finite()).map(|effect| (key, effect)));
        }
    }
    found
}

/// The blocks of every timed metric.
fn timed_blocks(record: &RunRecord, budget: &Budget) -> Vec<(Key, Blocks)> {
    let [base, head] = record.subjects.as_slice() else { return Vec::new() };
    let series = series(record);
    let timed =
        series.iter().filter(|((name, key), _)| *name == base.name && !key.metric.is_count());
    timed
        .filter_map(|((_, key), points)| {
            let others = series.get(&(head.name.as_str(), *key))?;
            Some((*key, blocks(record, key, points, others, budget.pairs)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        policy::Policy,
        rule::{NoiseModel, SigmaSource},
    };
    use shakedown_summary::fixture::unchanged;

    fn budget() -> Budget {
        Policy::shipped().unwrap().budget
    }

    #[test]
    fn the_spread_around_zero_is_learned() {
        let runs = [unchanged(&[0.003, -0.003, 0.003]), unchanged(&[-0.003, 0.003, -0.003])];
        let found = calibrate(&[&runs[0], &runs[1]], &budget()).unwrap();
        let client = found.noise.iter().find(|n| n.side == Side::Client).unwrap();
        assert_eq!(client.blocks, 6);
        // What trimming keeps of ten pairs are six: each counts for a sixth, not a tenth, of their mean.
        assert!(client.sigma_ppm.abs_diff(5000) < 10, "{client:?}");
        assert!(client.pair_ppm.is_some_and(|ppm| ppm < 100), "{client:?}");
        let sigma =
            NoiseModel::new(Some(&found)).get(client.scenario, Side::Client, Metric::Handshakes);
        assert_eq!(sigma.source, SigmaSource::ThisScenario);
    }

    #[test]
    fn a_bias_is_noise_too() {
        let found = calibrate(&[&unchanged(&[0.01; 8])], &budget()).unwrap();
        let client = found.noise.iter().find(|n| n.side == Side::Client).unwrap();
        assert!(client.sigma_ppm > 9_000, "the same offset in every block: {client:?}");
    }

    #[test]
    fn changed_code_and_other_epochs_are_refused() {
        let sound = unchanged(&[0.0]);
        assert_eq!(calibrate(&[], &budget()), Err(CalibrateError::Nothing));
        let mut changed = sound.clone();
        changed.subjects[1].artifact.source.sha256 = "6".repeat(64);
        let mut elsewhere = sound.clone();
        elsewhere.host.epoch.id = "another".to_owned();
        let mut noisy = sound.clone();
        noisy
            .trials
            .iter_mut()
            .for_each(|trial| trial.flaws = vec![shakedown_protocol::Flaw::Stolen]);
        let disturbed = Err(CalibrateError::Disturbed { runs: 1 });
        assert_eq!(calibrate(&[&noisy], &budget()), disturbed);
        let told = |records: &[&RunRecord]| calibrate(records, &budget()).unwrap_err().to_string();
        let both = [told(&[&changed]), told(&[&sound, &elsewhere])].join("\n");
        insta::assert_snapshot!(both);
    }
}
