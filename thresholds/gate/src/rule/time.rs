//! The rule for times: a margin test over many links of both sides, group sequential.
//!
//! Each pair of trials is one of base and one of head, next to each other in time. The effect is the
//! trimmed mean of the pairs' log ratios. Its standard error takes the pairs of the same two links
//! together, since they share the luck of two layouts: only other links tell more of it. Pairs of one
//! link each are therefore worth most (`thresholds/evidence/README.md` compares designs). The noise of
//! unchanged code, learned from A/A runs, is a floor of the standard error.
//!
//! The error rate is bounded for all tests of a run together (Bonferroni), over all interim analyses
//! of the growing data, at a true change of exactly the margin. Unchanged code is a whole margin away
//! from that.

mod decision;

pub use decision::{BlockEffect, PairEffect, TimeDecision};

use super::{ChangeDirection, Limit, Reason, Sigma, SigmaSource, Verdict};
use serde::Serialize;
use shakedown_summary::stats::{normal_quantile, t_quantile};

/// Share of the pairs that is cut at each end.
pub const TRIM: f64 = 0.2;

/// A change is called after this many pairs at least: a disturbance of one side can last through
/// half of them.
pub const MIN_PAIRS: usize = 30;

/// Where the budget has fewer pairs, a change is called after its last block, and this many at least.
pub const MIN_BLOCKS: usize = 3;

/// From this many different pairs of links on, a run's own spread tells how much layouts matter.
const OWN_LINKS: usize = 6;

/// The boundary lies this much above what a normal distribution of the pairs would need: trimmed
/// means of heavy-tailed values have somewhat heavier tails than Student's t
/// (`thresholds/evidence/README.md`, changes of exactly the margin).
const HEAVY_TAILS: f64 = 1.05;

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
    /// Decides on the pairs of each block so far, in order of time. `last` says that no further block
    /// will come.
    pub fn decide(&self, sigma: Sigma, blocks: &[Vec<PairEffect>], last: bool) -> TimeDecision {
        let pairs: Vec<PairEffect> = blocks.iter().flatten().copied().collect();
        let blocks: Vec<BlockEffect> = blocks.iter().filter_map(|b| BlockEffect::of(b)).collect();
        let count = blocks.len();
        let mut decision = TimeDecision {
            verdict: Verdict::Inconclusive,
            open: !last && count < self.max_blocks as usize,
            pairs: pairs.len(),
            links: 0,
            effect: None,
            low: None,
            high: None,
            se: None,
            se_calibrated: None,
            se_observed: None,
            degrees_of_freedom: sigma.degrees_of_freedom,
            segments: Vec::new(),
            sigma,
            score: None,
            critical: self.critical(sigma.degrees_of_freedom, count.max(1)),
            minimum_detectable_effect: None,
            reason: Reason::NoBlocks,
            blocks,
        };
        let Some((effect, se)) = decision.estimate(&pairs) else { return decision };
        let margin = self.margin.ln_1p();
        decision.critical = self.critical(decision.degrees_of_freedom, count);
        decision.score = Some((effect - margin) / se);
        let detectable = margin + (decision.critical + normal_quantile(0.9)) * se;
        decision.minimum_detectable_effect = Some(detectable.exp_m1());
        let (verdict, reason) = self.conclude(&decision, effect, se);
        decision.open &= verdict == Verdict::Inconclusive;
        decision.verdict = verdict;
        decision.reason = reason;
        decision
    }

    /// What the score must exceed after `count` blocks, by a standard error with these degrees of
    /// freedom. The sum of the effects grows like a Brownian motion, which exceeds a line at any time
    /// up to the last block twice as often as at its end (the reflection principle). Half the error
    /// rate at the end is therefore kept however often the growing data are looked at.
    pub fn critical(&self, degrees_of_freedom: f64, count: usize) -> f64 {
        let each = self.false_alarms / self.tests.max(1) as f64;
        let early = (f64::from(self.max_blocks) / count as f64).max(1.0).sqrt();
        HEAVY_TAILS * t_quantile(1.0 - each / 2.0, degrees_of_freedom) * early
    }

    fn conclude(&self, decision: &TimeDecision, effect: f64, se: f64) -> (Verdict, Reason) {
        let &Self { margin, non_inferiority_margin, .. } = self;
        let blocks = decision.blocks.len();
        let worse = decision.is_beyond(ChangeDirection::Worse, margin);
        let better = decision.is_beyond(ChangeDirection::Better, margin);
        let all = blocks >= MIN_BLOCKS && blocks as u32 >= self.max_blocks;
        let enough = decision.pairs >= MIN_PAIRS || all;
        let changed = |change| Reason::TimeChanged { change, margin, blocks };
        let not_inferior =
            decision.upper().is_some_and(|upper| upper < non_inferiority_margin.ln_1p());
        let calm = effect.abs() < margin.ln_1p() || !decision.open;
        if enough && worse.is_confirmed() {
            (Verdict::Regressed, changed(ChangeDirection::Worse))
        } else if enough && better.is_confirmed() {
            (Verdict::Improved, changed(ChangeDirection::Better))
        } else if better.is_confirmed() {
            // Too few pairs to call it a gain, and too large to call it unchanged.
            (Verdict::Inconclusive, self.doubt(decision, se))
        } else if !decision.open && (worse.is_contradicted() || better.is_contradicted()) {
            (Verdict::Inconclusive, Reason::BlocksDisagree)
        } else if not_inferior && calm && decision.is_known() {
            (Verdict::Pass, Reason::TimeNotInferior { non_inferiority_margin })
        } else {
            (Verdict::Inconclusive, self.doubt(decision, se))
        }
    }

    /// Why the numbers don't suffice.
    fn doubt(&self, decision: &TimeDecision, se: f64) -> Reason {
        let (blocks, max_blocks) = (decision.blocks.len(), self.max_blocks);
        if decision.open {
            return Reason::BlocksSoFar { blocks, max_blocks };
        }
        if (blocks as u32) < max_blocks && decision.pairs < MIN_PAIRS {
            return Reason::TooFewBlocks { blocks, max_blocks };
        }
        let limit = if decision.se_observed.is_some_and(|observed| observed >= se) {
            Limit::BetweenPairs
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
