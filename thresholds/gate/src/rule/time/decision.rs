//! The numbers behind a verdict on a time.

use super::TRIM;
use crate::rule::{ChangeDirection, Reason, Sigma, Verdict};
use serde::{Deserialize, Serialize};
use shakedown_summary::stats::{deviation, mean, median, t_quantile, trimmed_mean};

/// The estimate of one block.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BlockEffect {
    /// Trimmed mean of the log ratios; above zero is worse.
    pub effect: f64,
    /// Its standard error within the block.
    pub se: Option<f64>,
    /// Pairs.
    pub pairs: usize,
    /// Medians of the pairs of the block's first and second half in time. What slows one
    /// side down for a while is seen in some halves; a change of the code in all.
    pub halves: [f64; 2],
}

impl BlockEffect {
    /// Of the log ratios of a block's pairs; `None` if there are none.
    pub(super) fn of(log_ratios: &[f64]) -> Option<Self> {
        let trimmed = trimmed_mean(log_ratios, TRIM)?;
        let (first, second) = log_ratios.split_at(log_ratios.len() / 2);
        let half = |ratios: &[f64]| median(ratios).unwrap_or(trimmed.mean);
        let halves = [half(first), half(second)];
        Some(Self { effect: trimmed.mean, se: trimmed.se, pairs: log_ratios.len(), halves })
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
    /// Mean over the blocks.
    pub effect: Option<f64>,
    /// Lower end of the 95 % interval of the effect.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// Standard error that the decision used: the largest of the three below.
    pub se: Option<f64>,
    /// Standard error by the noise of unchanged code.
    pub se_calibrated: Option<f64>,
    /// Standard error by the spread within the blocks.
    pub se_within: Option<f64>,
    /// Standard error by the spread between the blocks (from three on) or between their
    /// halves (from two blocks on), whichever is larger.
    pub se_between: Option<f64>,
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
    /// The mean over the blocks is beyond it, by more than the noise.
    mean: bool,
    /// The halves of the blocks are beyond it, but for at most one.
    halves: bool,
}

impl Beyond {
    pub(super) const fn is_confirmed(self) -> bool {
        self.mean && self.halves
    }

    pub(super) const fn is_contradicted(self) -> bool {
        self.mean && !self.halves
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
            return Beyond { mean: false, halves: false };
        };
        let halves = self.blocks.iter().flat_map(|block| block.halves);
        let against = halves.filter(|half| sign * half <= margin).count();
        // Of the six halves and more, one may be what the host did to it.
        Beyond { mean: (sign * effect - margin) / se > self.critical, halves: against <= 1 }
    }

    /// Fills in effect, interval and standard errors; returns effect and standard error. `None`
    /// without blocks.
    pub(super) fn estimate(&mut self, layouts: usize) -> Option<(f64, f64)> {
        let effects: Vec<f64> = self.blocks.iter().map(|block| block.effect).collect();
        let effect = mean(&effects)?;
        let se = self.errors(&effects, layouts);
        let half_width = t_quantile(0.975, self.sigma.degrees_of_freedom) * se;
        self.effect = Some(effect);
        (self.low, self.high) = (Some(effect - half_width), Some(effect + half_width));
        self.se = Some(se);
        Some((effect, se))
    }

    /// Fills in the three standard errors; returns the largest.
    fn errors(&mut self, effects: &[f64], layouts: usize) -> f64 {
        let count = effects.len() as f64;
        // The luck of a layout averages out over different layouts only.
        let calibrated = self.sigma.value / (layouts.clamp(1, effects.len()) as f64).sqrt();
        let squares: Option<Vec<f64>> =
            self.blocks.iter().map(|block| block.se.map(|se| se * se)).collect();
        self.se_calibrated = Some(calibrated);
        self.se_within = squares.map(|squares| squares.iter().sum::<f64>().sqrt() / count);
        // Halves tell of disturbances that two blocks can't; three blocks tell more of builds.
        let halves: Vec<f64> = self.blocks.iter().flat_map(|block| block.halves).collect();
        let spread = |values: &[f64], fewest: usize| {
            let sd = deviation(values).filter(|_| effects.len() >= fewest)?;
            Some(sd / (values.len() as f64).sqrt())
        };
        let between = [spread(effects, 3), spread(&halves, 2)];
        self.se_between = between.into_iter().flatten().reduce(f64::max);
        [self.se_within, self.se_between].into_iter().flatten().fold(calibrated, f64::max)
    }
}
