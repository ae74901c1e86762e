//! The numbers behind a verdict on a time.

use super::{OWN_LINKS, TRIM};
use crate::rule::{ChangeDirection, Reason, Sigma, SigmaSource, Verdict};
use serde::{Deserialize, Serialize};
use shakedown_summary::stats::{
    GroupedMean, median, normal_quantile, t_quantile, trimmed_mean, trimmed_mean_of_groups,
};
use std::collections::BTreeMap;

/// The pairs are cut into this many stretches of time. What slows one side down for a while is seen
/// in some of them; a change of the code in all.
const SEGMENTS: usize = 5;

/// Stretches that may disagree with a change: one may be what the host did to it.
const DISAGREEING: usize = 1;

/// Coverage of the one-sided interval of a pass before the last block.
const EARLY_COVERAGE: f64 = 0.99;

/// One pair of trials.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairEffect {
    /// Links of base and head.
    pub links: (u32, u32),
    /// Above zero: head is worse.
    pub log_ratio: f64,
}

/// The estimate of one block.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BlockEffect {
    /// Trimmed mean of the log ratios; above zero is worse.
    pub effect: f64,
    /// Pairs.
    pub pairs: usize,
}

impl BlockEffect {
    /// Of the pairs of a block; `None` if there are none.
    pub(crate) fn of(pairs: &[PairEffect]) -> Option<Self> {
        let log_ratios: Vec<f64> = pairs.iter().map(|pair| pair.log_ratio).collect();
        let effect = trimmed_mean(&log_ratios, TRIM)?.mean;
        Some(Self { effect, pairs: pairs.len() })
    }
}

/// A decision with every number that led to it. Effects are log ratios; above zero is worse.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TimeDecision {
    /// The decision; [`Verdict::Inconclusive`] while it is open.
    pub verdict: Verdict,
    /// Whether another block could decide it.
    pub open: bool,
    /// Each block.
    pub blocks: Vec<BlockEffect>,
    /// Pairs of all blocks.
    pub pairs: usize,
    /// Different pairs of links among them.
    pub links: usize,
    /// Trimmed mean over all pairs.
    pub effect: Option<f64>,
    /// Lower end of the 95 % interval of the effect.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Standard error that the decision used: the larger one of the two below.
    pub se: Option<f64>,
    /// Standard error by the noise of unchanged code. Of an assumed noise only while there are few
    /// links.
    pub se_calibrated: Option<f64>,
    /// Standard error by the spread of the pairs, those of the same links taken together.
    pub se_observed: Option<f64>,
    /// Degrees of freedom of the test.
    pub degrees_of_freedom: f64,
    /// Medians of the pairs in stretches of equal length, in order of time.
    pub segments: Vec<f64>,
    /// The noise of unchanged code.
    pub sigma: Sigma,
    /// (effect - ln(1 + margin)) / se.
    pub score: Option<f64>,
    /// What the score must exceed.
    pub critical: f64,
    /// The smallest change for the worse that these blocks would have found nine times in ten,
    /// as a share.
    pub minimum_detectable_effect: Option<f64>,
    /// Why.
    pub reason: Reason,
}

/// Whether a change is beyond a margin.
#[derive(Debug, Clone, Copy)]
pub(super) struct Beyond {
    /// The mean is beyond it, by more than the noise.
    mean: bool,
    /// The stretches of time are beyond it, but for at most [`DISAGREEING`].
    segments: bool,
}

impl Beyond {
    pub(super) const fn is_confirmed(self) -> bool {
        self.mean && self.segments
    }

    pub(super) const fn is_contradicted(self) -> bool {
        self.mean && !self.segments
    }
}

impl TimeDecision {
    /// Whether the change is for the worse by more than `margin`.
    pub fn is_worse_by(&self, margin: f64) -> bool {
        self.is_beyond(ChangeDirection::Worse, margin).is_confirmed()
    }

    pub(super) fn is_beyond(&self, change: ChangeDirection, margin: f64) -> Beyond {
        let margin = margin.ln_1p();
        let sign = match change {
            ChangeDirection::Worse => 1.0,
            ChangeDirection::Better => -1.0,
        };
        let (Some(effect), Some(se)) = (self.effect, self.se) else {
            return Beyond { mean: false, segments: false };
        };
        let against = self.segments.iter().filter(|segment| sign * **segment <= margin).count();
        let segments = self.segments.len() == SEGMENTS && against <= DISAGREEING;
        Beyond { mean: (sign * effect - margin) / se > self.critical, segments }
    }

    /// Whether enough is known of the noise to let a change pass: of a single link only what was
    /// measured on this very scenario.
    pub(super) fn is_known(&self) -> bool {
        self.links >= 2 || self.sigma.source == SigmaSource::ThisScenario
    }

    /// Upper end of a one-sided interval: by a calibrated noise, which counts as known, and by the
    /// spread of the pairs with its own degrees of freedom, whichever is higher. Its coverage is 95 %
    /// where the measuring ends, and higher at each earlier look, as there are several.
    pub(super) fn upper(&self) -> Option<f64> {
        let coverage = if self.open { EARLY_COVERAGE } else { 0.95 };
        let t = t_quantile(coverage, self.degrees_of_freedom);
        let known = match self.sigma.source {
            SigmaSource::Assumed => t,
            SigmaSource::ThisScenario | SigmaSource::OtherScenarios => normal_quantile(coverage),
        };
        let calibrated = self.se_calibrated.map_or(0.0, |se| known * se);
        let observed = self.se_observed.map_or(0.0, |se| t * se);
        Some(self.effect? + calibrated.max(observed))
    }

    /// Fills in effect, interval and standard errors; returns effect and standard error. `None`
    /// without pairs.
    pub(super) fn estimate(&mut self, pairs: &[PairEffect]) -> Option<(f64, f64)> {
        let mut groups: BTreeMap<(u32, u32), Vec<f64>> = BTreeMap::new();
        for pair in pairs {
            groups.entry(pair.links).or_default().push(pair.log_ratio);
        }
        let groups: Vec<Vec<f64>> = groups.into_values().collect();
        let GroupedMean { mean: effect, se: observed, degrees_of_freedom } =
            trimmed_mean_of_groups(&groups, TRIM)?;
        self.links = groups.len();
        let own = self.links >= OWN_LINKS;
        if own {
            self.degrees_of_freedom = degrees_of_freedom;
        }
        // Of one link, its pairs still tell what they can.
        let within = || trimmed_mean(groups.first()?, TRIM)?.se;
        self.se_observed = observed.or_else(within);
        let assumed = self.sigma.source == SigmaSource::Assumed;
        let calibrated = self.sigma.standard_error(self.links, pairs.len());
        self.se_calibrated = Some(calibrated).filter(|_| !(assumed && own));
        let se = self.se_calibrated.into_iter().chain(self.se_observed).fold(0.0, f64::max);
        // Values without any spread are no measurement; the noise is at least that of the clock.
        let se = se.max(1e-6);
        self.segments = segments(pairs);
        let half_width = t_quantile(0.975, self.degrees_of_freedom) * se;
        self.effect = Some(effect);
        (self.low, self.high) = (Some(effect - half_width), Some(effect + half_width));
        self.se = Some(se);
        Some((effect, se))
    }
}

/// Medians of the pairs in stretches of equal length.
fn segments(pairs: &[PairEffect]) -> Vec<f64> {
    let log_ratios: Vec<f64> = pairs.iter().map(|pair| pair.log_ratio).collect();
    let bound = |index: usize| index * log_ratios.len() / SEGMENTS;
    (0..SEGMENTS).filter_map(|index| median(&log_ratios[bound(index)..bound(index + 1)])).collect()
}
