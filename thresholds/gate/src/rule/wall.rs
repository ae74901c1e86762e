//! The wall clock rule: a margin test over relinked builds, sequential with a bound.
//!
//! Each block runs freshly relinked builds of both sides in interleaved pairs; its effect is
//! the trimmed mean of the pairs' log ratios. Blocks are what varies when nothing changed, so
//! the spread between blocks of unchanged code (sigma, learned from A/A runs) is the yardstick,
//! never the spread between iterations: testing against zero with many iterations finds the
//! layout of the binary, which differs in every build.
//!
//! The error rate is bounded for all tests of a run together (Bonferroni), over all looks at
//! the growing data (O'Brien-Fleming boundaries: early looks must be far clearer), at a true
//! change of exactly the margin. Unchanged code is a whole margin away from that.

use super::{Sigma, SigmaSource, Verdict};
use serde::Serialize;
use shakedown_summary::stats::{
    deviation, mean, median, normal_quantile, t_quantile, trimmed_mean,
};

/// Share of a block's pairs that is cut at each end.
pub const TRIM: f64 = 0.2;

/// O'Brien-Fleming boundaries for up to four looks lie this much above the boundary of a
/// single look.
const LOOKS: f64 = 1.01;

/// A change is called after this many blocks at least. One block may have a bad layout, and
/// a disturbance of one side can last through most of two.
pub const PROOF: usize = 3;

/// What the wall clock rule is set to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct WallRule {
    /// Worse by up to this share is nobody's business, for example 0.01.
    pub margin: f64,
    /// A pass says that the metric is not worse by this share or more.
    pub bound: f64,
    /// Blocks at most.
    pub blocks: u32,
    /// How many unchanged runs in all may have a false alarm, for example 0.01.
    pub false_alarms: f64,
    /// Tests that are judged together.
    pub tests: usize,
}

/// What one block says.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct UnitEffect {
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

/// A decision with every number that led to it. Effects are log ratios; above zero is worse.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WallDecision {
    /// The decision; [`Verdict::Inconclusive`] while it is open.
    pub verdict: Verdict,
    /// Whether another block could decide it.
    pub open: bool,
    /// Each block.
    pub units: Vec<UnitEffect>,
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
    /// The noise that it was measured by.
    pub sigma: Sigma,
    /// (effect - ln(1 + margin)) / se.
    pub score: Option<f64>,
    /// What the score must exceed.
    pub critical: f64,
    /// Smallest change for the worse that these blocks would have found nine times in ten,
    /// as a share.
    pub smallest: Option<f64>,
    /// Why, in words.
    pub reason: String,
}

impl WallRule {
    /// Decides on the pairs' log ratios of each block so far, in time order. `layouts` is how many different
    /// pairs of links the blocks ran; `last` says that no further block will come.
    pub fn decide(
        &self,
        sigma: Sigma,
        units: &[Vec<f64>],
        layouts: usize,
        last: bool,
    ) -> WallDecision {
        let units: Vec<UnitEffect> = units.iter().filter_map(|logs| unit(logs)).collect();
        let count = units.len();
        let critical = self.critical(sigma, count.max(1));
        let mut decision = WallDecision {
            verdict: Verdict::Inconclusive,
            open: !last && count < self.blocks as usize,
            effect: None,
            low: None,
            high: None,
            se: None,
            se_calibrated: None,
            se_within: None,
            se_between: None,
            sigma,
            score: None,
            critical,
            smallest: None,
            reason: "no block counts yet".to_owned(),
            units,
        };
        let effects: Vec<f64> = decision.units.iter().map(|unit| unit.effect).collect();
        let Some(effect) = mean(&effects) else { return decision };
        let se = decision.errors(sigma, &effects, layouts);
        let ends = t_quantile(0.975, sigma.freedom) * se;
        let margin = self.margin.ln_1p();
        decision.effect = Some(effect);
        (decision.low, decision.high) = (Some(effect - ends), Some(effect + ends));
        decision.se = Some(se);
        decision.score = Some((effect - margin) / se);
        decision.smallest = Some((margin + (critical + normal_quantile(0.9)) * se).exp_m1());
        self.conclude(&mut decision, &effects, effect, se);
        decision
    }

    /// What the score must exceed after `count` blocks.
    pub fn critical(&self, sigma: Sigma, count: usize) -> f64 {
        let each = self.false_alarms / self.tests.max(1) as f64;
        let early = (f64::from(self.blocks) / count as f64).max(1.0).sqrt();
        LOOKS * t_quantile(1.0 - each, sigma.freedom) * early
    }

    fn conclude(&self, decision: &mut WallDecision, effects: &[f64], effect: f64, se: f64) {
        let margin = self.margin.ln_1p();
        let beyond = |sign: f64| {
            let clear = (sign * effect - margin) / se > decision.critical;
            let halves = decision.units.iter().flat_map(|unit| unit.halves);
            let against = halves.filter(|half| sign * half <= margin).count();
            // Of the six halves and more, one may be what the host did to it.
            (clear, against <= 1)
        };
        let confirmed = effects.len() >= PROOF;
        let pass = effect + normal_quantile(0.95) * se < self.bound.ln_1p();
        let calm = effect.abs() < margin || !decision.open;
        // A single block may pass only by noise that was measured on this very scenario.
        let known = effects.len() >= 2 || matches!(sigma_source(decision), SigmaSource::Own);
        let (verdict, reason) = match (beyond(1.0), beyond(-1.0)) {
            ((true, true), _) if confirmed => (Verdict::Regressed, self.clear(decision, "worse")),
            (_, (true, true)) if confirmed => (Verdict::Improved, self.clear(decision, "better")),
            ((true, false), _) | (_, (true, false)) if !decision.open => (
                Verdict::Inconclusive,
                "the blocks disagree: not each of them is beyond the margin".to_owned(),
            ),
            _ if pass && calm && known => {
                (Verdict::Pass, format!("worse by {} or more is excluded", percent(self.bound)))
            }
            _ => (Verdict::Inconclusive, self.doubt(decision, se)),
        };
        decision.open &= verdict == Verdict::Inconclusive;
        decision.verdict = verdict;
        decision.reason = reason;
    }

    fn clear(&self, decision: &WallDecision, way: &str) -> String {
        format!(
            "{way} than the margin of {} all through {} blocks, beyond what noise does",
            percent(self.margin),
            decision.units.len()
        )
    }

    /// Why the numbers don't suffice.
    fn doubt(&self, decision: &WallDecision, se: f64) -> String {
        let count = decision.units.len();
        let largest = |part: Option<f64>| part.is_some_and(|part| part >= se);
        if decision.open {
            return format!("{count} of up to {} blocks so far", self.blocks);
        }
        if (count as u32) < self.blocks.min(PROOF as u32) {
            return format!("too few blocks: {count} of {}", self.blocks);
        }
        let why = if largest(decision.se_between) {
            "noisy host: the blocks differ from each other more than unchanged code does".to_owned()
        } else if largest(decision.se_within) {
            "noisy host: the pairs within the blocks scatter more than the calibration saw"
                .to_owned()
        } else if decision.sigma.source == SigmaSource::Default {
            "the host is not calibrated, so that a large noise is assumed".to_owned()
        } else {
            format!("unchanged builds of this scenario differ by {}", percent(decision.sigma.value))
        };
        format!("{why} ({count} blocks)")
    }
}

fn sigma_source(decision: &WallDecision) -> SigmaSource {
    decision.sigma.source
}

impl WallDecision {
    /// Fills in the three standard errors; returns the largest.
    fn errors(&mut self, sigma: Sigma, effects: &[f64], layouts: usize) -> f64 {
        let count = effects.len() as f64;
        // Layout luck averages out over different layouts only.
        let calibrated = sigma.value / (layouts.clamp(1, effects.len()) as f64).sqrt();
        let squares: Option<Vec<f64>> =
            self.units.iter().map(|unit| unit.se.map(|se| se * se)).collect();
        self.se_calibrated = Some(calibrated);
        self.se_within = squares.map(|squares| squares.iter().sum::<f64>().sqrt() / count);
        // Halves tell of disturbances that two blocks can't; three blocks tell more of builds.
        let halves: Vec<f64> = self.units.iter().flat_map(|unit| unit.halves).collect();
        let spread = |values: &[f64], fewest: usize| {
            let sd = deviation(values).filter(|_| effects.len() >= fewest)?;
            Some(sd / (values.len() as f64).sqrt())
        };
        let between = [spread(effects, 3), spread(&halves, 2)];
        self.se_between = between.into_iter().flatten().reduce(f64::max);
        [self.se_within, self.se_between].into_iter().flatten().fold(calibrated, f64::max)
    }
}

fn unit(logs: &[f64]) -> Option<UnitEffect> {
    let trimmed = trimmed_mean(logs, TRIM)?;
    let (first, second) = logs.split_at(logs.len() / 2);
    let half = |logs: &[f64]| median(logs).unwrap_or(trimmed.mean);
    let halves = [half(first), half(second)];
    Some(UnitEffect { effect: trimmed.mean, se: trimmed.se, pairs: logs.len(), halves })
}

/// A share as people write it.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let digits = if percent.abs() < 0.995 {
        2
    } else if percent.abs() < 9.95 {
        1
    } else {
        0
    };
    let text = format!("{percent:.digits$}");
    let text =
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} %")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RULE: WallRule =
        WallRule { margin: 0.01, bound: 0.03, blocks: 4, false_alarms: 0.01, tests: 60 };

    fn own(value: f64) -> Sigma {
        Sigma { value, freedom: 30.0, source: SigmaSource::Own }
    }

    /// A block around `effect` with a little scatter that averages out.
    fn block(effect: f64) -> Vec<f64> {
        [-2.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 1.0, 2.0].map(|s| effect + s * 0.001).to_vec()
    }

    #[test]
    fn unchanged_code_passes_after_one_calibrated_block() {
        let found = RULE.decide(own(0.004), &[block(0.001)], 1, false);
        assert_eq!((found.verdict, found.open), (Verdict::Pass, false), "{}", found.reason);
        let unknown = Sigma { source: SigmaSource::Default, ..own(0.004) };
        assert!(RULE.decide(unknown, &[block(0.001)], 1, false).open);
    }

    #[test]
    fn a_slowdown_needs_three_blocks() {
        let sigma = own(0.003);
        for (count, verdict) in
            [(1, Verdict::Inconclusive), (2, Verdict::Inconclusive), (3, Verdict::Regressed)]
        {
            let found = RULE.decide(sigma, &vec![block(0.1); count], count, false);
            assert_eq!((found.verdict, found.open), (verdict, count < 3));
        }
        let better = RULE.decide(sigma, &vec![block(-0.1); 3], 3, false);
        assert_eq!(better.verdict, Verdict::Improved);
    }

    #[test]
    fn a_burst_on_one_side_over_two_blocks_never_fails() {
        for start in 0..20 {
            let mut logs: Vec<f64> = (0..4).flat_map(|_| block(0.0)).collect();
            logs[start..start + 15].iter_mut().for_each(|log| *log += 0.2);
            let units: Vec<Vec<f64>> = logs.chunks(10).map(<[f64]>::to_vec).collect();
            for count in 1..=4 {
                let found = RULE.decide(own(0.002), &units[..count], count, count == 4);
                assert_ne!(found.verdict, Verdict::Regressed, "from {start} after {count}");
            }
        }
    }

    #[test]
    fn one_wild_block_never_fails() {
        let units = [block(0.0), block(0.3), block(0.0), block(0.0)];
        for count in 1..=4 {
            let found = RULE.decide(own(0.002), &units[..count], count, count == 4);
            assert_ne!(found.verdict, Verdict::Regressed, "after {count}");
        }
    }

    #[test]
    fn less_than_the_margin_is_no_regression_however_sure() {
        let units: Vec<Vec<f64>> = (0..4).map(|_| block(0.009)).collect();
        let found = RULE.decide(own(0.0001), &units, 4, true);
        assert_eq!(found.verdict, Verdict::Pass);
    }

    #[test]
    fn noise_is_told_with_the_smallest_visible_effect() {
        let wide: Vec<f64> = (0..10).map(|i| 0.2 * (f64::from(i) - 4.5)).collect();
        let units = vec![wide; 4];
        let found = RULE.decide(own(0.003), &units, 4, true);
        assert_eq!((found.verdict, found.open), (Verdict::Inconclusive, false));
        assert!(found.smallest.unwrap() > 0.5);
        insta::assert_snapshot!(found.reason, @"noisy host: the blocks differ from each other more than unchanged code does (4 blocks)");
    }

    #[test]
    fn one_layout_does_not_average_out() {
        let units: Vec<Vec<f64>> = (0..4).map(|_| block(0.02)).collect();
        let (many, one) =
            (RULE.decide(own(0.004), &units, 4, true), RULE.decide(own(0.004), &units, 1, true));
        assert_eq!(many.verdict, Verdict::Regressed);
        assert_ne!(one.verdict, Verdict::Regressed);
    }

    #[test]
    fn percents_read_well() {
        let told: Vec<String> =
            [0.002, 0.01, 0.0312, 0.1, 0.256, 2.0, 0.00004].map(percent).to_vec();
        assert_eq!(told, ["0.2 %", "1 %", "3.1 %", "10 %", "26 %", "200 %", "0 %"]);
    }

    proptest! {
        /// Adding a slowdown to every pair never turns a fail into a pass.
        #[test]
        fn more_slowdown_is_never_better(
            logs in proptest::collection::vec(proptest::collection::vec(-0.05f64..0.05, 10), 2..=4),
            more in 0.0f64..0.2
        ) {
            let verdict = |extra: f64| {
                let units: Vec<Vec<f64>> =
                    logs.iter().map(|unit| unit.iter().map(|log| log + extra).collect()).collect();
                RULE.decide(own(0.004), &units, units.len(), true).verdict
            };
            if verdict(0.0) == Verdict::Regressed {
                prop_assert_eq!(verdict(more), Verdict::Regressed);
            }
            if verdict(more) == Verdict::Improved {
                prop_assert_eq!(verdict(0.0), Verdict::Improved);
            }
        }

        /// Base and head exchanged: regressed and improved exchange too.
        #[test]
        fn the_rule_is_fair(
            logs in proptest::collection::vec(proptest::collection::vec(-0.1f64..0.1, 10), 2..=4)
        ) {
            let turned: Vec<Vec<f64>> =
                logs.iter().map(|unit| unit.iter().map(|log| -log).collect()).collect();
            let verdict = |units: &[Vec<f64>]| RULE.decide(own(0.004), units, units.len(), true).verdict;
            prop_assert_eq!(verdict(&logs) == Verdict::Regressed, verdict(&turned) == Verdict::Improved);
        }
    }
}
