//! The rule for times: a margin test over relinked builds, group sequential.
//!
//! Each block runs freshly relinked builds of both sides in interleaved pairs; its effect is
//! the trimmed mean of the pairs' log ratios. Blocks are what varies when nothing changed, so
//! the spread between blocks of unchanged code (sigma, learned from A/A runs) is the yardstick,
//! never the spread between iterations: testing against zero with many iterations finds the
//! layout of the binary, which differs in every build.
//!
//! The error rate is bounded for all tests of a run together (Bonferroni), over all interim
//! analyses of the growing data (O'Brien-Fleming boundaries: early ones must be far clearer), at a
//! true change of exactly the margin. Unchanged code is a whole margin away from that.

mod decision;

pub use decision::{BlockEffect, TimeDecision};

use super::{ChangeDirection, Limit, Reason, Sigma, SigmaSource, Verdict};
use serde::Serialize;
use shakedown_summary::stats::{normal_quantile, t_quantile};

/// Share of a block's pairs that is cut at each end.
pub const TRIM: f64 = 0.2;

/// The O'Brien-Fleming boundary for up to four analyses lies this much above that of a single one.
const O_BRIEN_FLEMING: f64 = 1.01;

/// A change is called after this many blocks at least. One block may have a bad layout, and
/// a disturbance of one side can last through most of two.
pub const MIN_BLOCKS: usize = 3;

/// The settings of the rule for times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct TimeRule {
    /// A change for the worse by up to this share is tolerated, for example 0.01.
    pub margin: f64,
    /// A pass says that the metric is not worse by this share or more.
    pub non_inferiority_margin: f64,
    /// Blocks at most.
    pub max_blocks: u32,
    /// Share of unchanged runs that may have a false alarm, for example 0.01.
    pub false_alarms: f64,
    /// Tests that are judged together.
    pub tests: usize,
}

impl TimeRule {
    /// Decides on the pairs' log ratios of each block so far, in order of time. `layouts` is the
    /// number of different pairs of links that the blocks ran; `last` says that no further block
    /// will come.
    pub fn decide(
        &self,
        sigma: Sigma,
        blocks: &[Vec<f64>],
        layouts: usize,
        last: bool,
    ) -> TimeDecision {
        let blocks: Vec<BlockEffect> = blocks.iter().filter_map(|b| BlockEffect::of(b)).collect();
        let count = blocks.len();
        let mut decision = TimeDecision {
            verdict: Verdict::Inconclusive,
            open: !last && count < self.max_blocks as usize,
            effect: None,
            low: None,
            high: None,
            se: None,
            se_calibrated: None,
            se_within: None,
            se_between: None,
            sigma,
            score: None,
            critical: self.critical(sigma, count.max(1)),
            minimum_detectable_effect: None,
            reason: Reason::NoBlocks,
            blocks,
        };
        let Some((effect, se)) = decision.estimate(layouts) else { return decision };
        let margin = self.margin.ln_1p();
        decision.score = Some((effect - margin) / se);
        let detectable = margin + (decision.critical + normal_quantile(0.9)) * se;
        decision.minimum_detectable_effect = Some(detectable.exp_m1());
        let (verdict, reason) = self.conclude(&decision, effect, se);
        decision.open &= verdict == Verdict::Inconclusive;
        decision.verdict = verdict;
        decision.reason = reason;
        decision
    }

    /// What the score must exceed after `count` blocks.
    pub fn critical(&self, sigma: Sigma, count: usize) -> f64 {
        let each = self.false_alarms / self.tests.max(1) as f64;
        let early = (f64::from(self.max_blocks) / count as f64).max(1.0).sqrt();
        O_BRIEN_FLEMING * t_quantile(1.0 - each, sigma.degrees_of_freedom) * early
    }

    fn conclude(&self, decision: &TimeDecision, effect: f64, se: f64) -> (Verdict, Reason) {
        let &Self { margin, non_inferiority_margin, .. } = self;
        let blocks = decision.blocks.len();
        let worse = decision.is_beyond(ChangeDirection::Worse, margin);
        let better = decision.is_beyond(ChangeDirection::Better, margin);
        let enough = blocks >= MIN_BLOCKS;
        let changed = |change| Reason::TimeChanged { change, margin, blocks };
        let not_inferior = effect + normal_quantile(0.95) * se < non_inferiority_margin.ln_1p();
        let calm = effect.abs() < margin.ln_1p() || !decision.open;
        // A single block may pass only by noise that was measured on this very scenario.
        let known = blocks >= 2 || decision.sigma.source == SigmaSource::ThisScenario;
        if enough && worse.is_confirmed() {
            (Verdict::Regressed, changed(ChangeDirection::Worse))
        } else if enough && better.is_confirmed() {
            (Verdict::Improved, changed(ChangeDirection::Better))
        } else if !decision.open && (worse.is_contradicted() || better.is_contradicted()) {
            (Verdict::Inconclusive, Reason::BlocksDisagree)
        } else if not_inferior && calm && known {
            (Verdict::Pass, Reason::TimeNotInferior { non_inferiority_margin })
        } else {
            (Verdict::Inconclusive, self.doubt(decision, se))
        }
    }

    /// Why the numbers don't suffice.
    fn doubt(&self, decision: &TimeDecision, se: f64) -> Reason {
        let (blocks, max_blocks) = (decision.blocks.len(), self.max_blocks);
        let largest = |part: Option<f64>| part.is_some_and(|part| part >= se);
        if decision.open {
            return Reason::BlocksSoFar { blocks, max_blocks };
        }
        if (blocks as u32) < max_blocks.min(MIN_BLOCKS as u32) {
            return Reason::TooFewBlocks { blocks, max_blocks };
        }
        let limit = if largest(decision.se_between) {
            Limit::BetweenBlocks
        } else if largest(decision.se_within) {
            Limit::WithinBlocks
        } else if decision.sigma.source == SigmaSource::Assumed {
            Limit::NotCalibrated
        } else {
            Limit::UnchangedBuilds { sigma: decision.sigma.value }
        };
        Reason::TooNoisy { limit, blocks }
    }
}

#[cfg(test)]
mod tests;
