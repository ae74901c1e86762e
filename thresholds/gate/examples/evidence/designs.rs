//! Designs and boundaries side by side, on the same kind of pull requests.

use crate::{
    ours::{DESIGN, Design, PER_SITE, RULE, Site, blocks},
    seeds::{generator, index},
    world::{CONDITIONS, Condition, SIDES, Source},
};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use shakedown_gate::rule::{PairEffect, Sigma, TRIM, TimeRule};
use shakedown_summary::stats::{
    deviation, mean, median, normal_quantile, t_quantile, trimmed_mean,
};

/// What a rule says after some blocks.
enum Outcome {
    Regressed,
    Passed,
    Open,
}

type Rule = fn(Design, Sigma, &[Vec<PairEffect>]) -> Outcome;

/// A way to spend trials, and to judge them.
struct Candidate {
    name: &'static str,
    design: Design,
    rule: Rule,
}

const fn design(blocks: usize, pairs: usize, pairs_per_link: usize) -> Design {
    Design { blocks, pairs, pairs_per_link }
}

const CANDIDATES: [Candidate; 7] = [
    Candidate {
        name: "4 links x 10 pairs, three of four blocks",
        design: design(4, 10, 10),
        rule: agreeing_blocks,
    },
    Candidate {
        name: "20 links x 2 pairs, three of four blocks",
        design: design(4, 10, 2),
        rule: agreeing_blocks,
    },
    Candidate {
        name: "4 links x 10 pairs, group sequential",
        design: design(4, 10, 10),
        rule: group_sequential,
    },
    Candidate {
        name: "20 links x 2 pairs, group sequential",
        design: design(4, 10, 2),
        rule: group_sequential,
    },
    Candidate {
        name: "40 links x 1 pair, group sequential",
        design: design(8, 5, 1),
        rule: group_sequential,
    },
    Candidate {
        name: "60 links x 1 pair, confidence sequence",
        design: DESIGN,
        rule: confidence_sequence,
    },
    Candidate {
        name: "60 links x 1 pair, group sequential (the gate)",
        design: DESIGN,
        rule: group_sequential,
    },
];

/// What came of one candidate in one condition, calibrated.
#[derive(Debug, Clone, Serialize)]
pub struct Compared {
    /// Design and rule.
    pub design: &'static str,
    /// Where the noise comes from.
    pub source: &'static str,
    /// Condition.
    pub condition: &'static str,
    /// Unchanged pull requests.
    pub pull_requests: u64,
    /// Those of them that failed.
    pub failed: u64,
    /// Share of unchanged scenario sides left undecided.
    pub inconclusive: f64,
    /// Pairs that an unchanged scenario side took.
    pub pairs: f64,
    /// Share of slowdowns by 2 % found.
    pub found_2: f64,
    /// Share of slowdowns by 3 % found.
    pub found_3: f64,
    /// Pairs that a scenario side took that is slower by 3 %.
    pub pairs_3: f64,
}

/// Every candidate on one source.
pub fn compare(source: &Source, prs: u64) -> Vec<Compared> {
    let all = CONDITIONS.iter().flat_map(|condition| {
        CANDIDATES.iter().map(move |candidate| one(candidate, source, condition, prs))
    });
    all.collect()
}

/// Counts over some pull requests.
#[derive(Default)]
struct Tally {
    failed_pull_requests: u64,
    failed_sides: u64,
    open_sides: u64,
    pairs: u64,
}

fn one(candidate: &Candidate, source: &Source, condition: &Condition, prs: u64) -> Compared {
    // The same seed for all: they see the same kind of pull requests.
    let mut rng = generator(&[5, index(condition)]);
    let mut tally = |slowdown: f64, prs: u64| {
        let mut found = Tally::default();
        let mut site = Site::uncalibrated();
        for pr in 0..prs {
            if pr % PER_SITE == 0 {
                site = Site::calibrated(source, condition, &mut rng);
            }
            let mut failed = 0;
            for side in 0..SIDES {
                let (outcome, pairs) =
                    run(candidate, &site, source, condition, side, slowdown, &mut rng);
                failed += u64::from(matches!(outcome, Outcome::Regressed));
                found.open_sides += u64::from(matches!(outcome, Outcome::Open));
                found.pairs += pairs as u64;
            }
            found.failed_sides += failed;
            found.failed_pull_requests += failed.min(1);
        }
        found
    };
    let few = (prs / 10).max(1);
    let (unchanged, two, three) = (tally(1.0, prs), tally(1.02, few), tally(1.03, few));
    let share = |number: u64, prs: u64| number as f64 / (prs * SIDES as u64) as f64;
    Compared {
        design: candidate.name,
        source: source.name(),
        condition: condition.name,
        pull_requests: prs,
        failed: unchanged.failed_pull_requests,
        inconclusive: share(unchanged.open_sides, prs),
        pairs: share(unchanged.pairs, prs),
        found_2: share(two.failed_sides, few),
        found_3: share(three.failed_sides, few),
        pairs_3: share(three.pairs, few),
    }
}

fn run(
    candidate: &Candidate,
    site: &Site,
    source: &Source,
    condition: &Condition,
    side: usize,
    slowdown: f64,
    rng: &mut ChaCha8Rng,
) -> (Outcome, usize) {
    let all = blocks(source, condition, side, candidate.design, slowdown, rng);
    for count in 1..=all.len() {
        let outcome = (candidate.rule)(candidate.design, site.sigma(side), &all[..count]);
        if !matches!(outcome, Outcome::Open) {
            return (outcome, count * candidate.design.pairs);
        }
    }
    (Outcome::Open, all.len() * candidate.design.pairs)
}

/// The gate's own.
fn group_sequential(design: Design, sigma: Sigma, blocks: &[Vec<PairEffect>]) -> Outcome {
    let rule = TimeRule { max_blocks: design.blocks as u32, ..RULE };
    let found = rule.decide(sigma, blocks, blocks.len() == design.blocks);
    match found.verdict {
        shakedown_gate::Verdict::Regressed => Outcome::Regressed,
        shakedown_gate::Verdict::Pass => Outcome::Passed,
        _ => Outcome::Open,
    }
}

/// The gate's estimates under the boundary of a normal mixture (Robbins), which holds at any time
/// without a last block; its mixture is tuned to the horizon of the others.
fn confidence_sequence(design: Design, sigma: Sigma, blocks: &[Vec<PairEffect>]) -> Outcome {
    let last = blocks.len() == design.blocks;
    let found = RULE.decide(sigma, blocks, last);
    let (count, tuned) = (blocks.len() as f64, 0.1 * design.blocks as f64);
    let each = RULE.false_alarms / SIDES as f64;
    let normal =
        ((1.0 + tuned / count) * (2.0 * (0.5 / each).ln() + ((count + tuned) / tuned).ln())).sqrt();
    let heavier =
        found.critical / (design.blocks as f64 / count).sqrt() / normal_quantile(1.0 - each / 2.0);
    let score = found.score.unwrap_or(0.0);
    let agree = found.segments.iter().filter(|one| **one > RULE.margin.ln_1p()).count() >= 4;
    if found.pairs >= shakedown_gate::rule::MIN_PAIRS && agree && score > normal * heavier {
        return Outcome::Regressed;
    }
    match found.verdict {
        shakedown_gate::Verdict::Pass => Outcome::Passed,
        _ => Outcome::Open,
    }
}

/// The rule before: the mean of the blocks' trimmed means, O'Brien-Fleming boundaries for four
/// analyses, and the halves of at least three blocks beyond the margin but for one.
fn agreeing_blocks(design: Design, sigma: Sigma, blocks: &[Vec<PairEffect>]) -> Outcome {
    let logs: Vec<Vec<f64>> =
        blocks.iter().map(|block| block.iter().map(|pair| pair.log_ratio).collect()).collect();
    let trimmed: Vec<_> = logs.iter().filter_map(|block| trimmed_mean(block, TRIM)).collect();
    let effects: Vec<f64> = trimmed.iter().map(|block| block.mean).collect();
    let halves: Vec<f64> = logs
        .iter()
        .flat_map(|block| block.chunks(block.len().div_ceil(2)).filter_map(median))
        .collect();
    let count = effects.len() as f64;
    let spread = |values: &[f64]| deviation(values).map(|sd| sd / (values.len() as f64).sqrt());
    let within = trimmed.iter().filter_map(|block| block.se).map(|se| se * se).sum::<f64>().sqrt();
    let links = design.pairs / design.pairs_per_link;
    let mut se = sigma.standard_error(links * blocks.len(), design.pairs * blocks.len());
    se = se.max(within / count);
    if blocks.len() >= 2 {
        se = se.max(spread(&halves).unwrap_or(0.0));
    }
    if blocks.len() >= 3 {
        se = se.max(spread(&effects).unwrap_or(0.0));
    }
    let effect = mean(&effects).unwrap_or(0.0);
    let margin = RULE.margin.ln_1p();
    let each = RULE.false_alarms / SIDES as f64;
    let critical = 1.01
        * t_quantile(1.0 - each, sigma.degrees_of_freedom)
        * (design.blocks as f64 / count).sqrt();
    let last = blocks.len() == design.blocks;
    let beyond = (effect - margin) / se > critical;
    let agree = halves.iter().filter(|half| **half <= margin).count() <= 1;
    let not_inferior = effect + normal_quantile(0.95) * se < RULE.non_inferiority_margin.ln_1p();
    if blocks.len() >= 3 && beyond && agree {
        Outcome::Regressed
    } else if !(last && beyond) && not_inferior && (effect.abs() < margin || last) {
        Outcome::Passed
    } else {
        Outcome::Open
    }
}
