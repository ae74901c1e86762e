use super::*;
use proptest::prelude::*;
use shakedown_protocol::fixture::Noisy;
use shakedown_summary::stats::deviation;

const RULE: TimeRule = TimeRule {
    margin: 0.01,
    non_inferiority_margin: 0.03,
    max_blocks: 10,
    false_alarms: 0.01,
    tests: 60,
};

fn own(value: f64) -> Sigma {
    Sigma { value, pair: None, degrees_of_freedom: 29.0, source: SigmaSource::ThisScenario }
}

/// Blocks of six pairs, each of links of its own, around `effect`; their scatter averages out.
fn blocks(count: u32, effect: f64) -> Vec<Vec<PairEffect>> {
    let one = |block: u32, pair: u32| PairEffect {
        links: (6 * block + pair, 6 * block + pair),
        log_ratio: effect + [-2.0, 1.0, -1.0, 0.0, 0.5, 1.5][pair as usize] * 0.001,
    };
    (0..count).map(|block| (0..6).map(|pair| one(block, pair)).collect()).collect()
}

#[test]
fn unchanged_code_passes_after_one_block() {
    for sigma in [own(0.004), Sigma { value: 0.02, source: SigmaSource::Assumed, ..own(0.02) }] {
        let found = RULE.decide(sigma, &blocks(1, 0.001), false);
        assert_eq!((found.verdict, found.open), (Verdict::Pass, false), "{:?}", found.reason);
    }
}

#[test]
fn a_pass_before_the_last_block_must_be_surer() {
    // With six pairs of this spread, a one-sided 95 % interval ends at 2.2 %, one of 99 % at 4 %.
    let wide = moved(&blocks(1, 0.0), |log| 15.0 * log);
    let verdict = |last| RULE.decide(own(0.003), &wide, last).verdict;
    assert_eq!([verdict(false), verdict(true)], [Verdict::Inconclusive, Verdict::Pass]);
}

#[test]
fn a_few_pairs_tell_little_of_their_own_spread() {
    // Of three degrees of freedom: 1.645 standard errors would do, 2.353 don't.
    let wide = moved(&blocks(1, 0.0), |log| 24.0 * log);
    assert_eq!(RULE.decide(own(0.003), &wide, true).verdict, Verdict::Inconclusive);
}

#[test]
fn a_slowdown_needs_thirty_pairs() {
    for (count, verdict) in
        [(1, Verdict::Inconclusive), (4, Verdict::Inconclusive), (5, Verdict::Regressed)]
    {
        let found = RULE.decide(own(0.003), &blocks(count, 0.1), false);
        assert_eq!((found.verdict, found.open), (verdict, count < 5));
    }
    assert_eq!(RULE.decide(own(0.003), &blocks(5, -0.1), false).verdict, Verdict::Improved);
}

/// Where a disturbed host left few pairs, a large gain is neither proven nor "unchanged".
#[test]
fn a_large_gain_in_a_few_pairs_is_no_pass() {
    for effect in [-0.1, 0.1] {
        let found = RULE.decide(own(0.003), &blocks(2, effect), true);
        assert_eq!(found.verdict, Verdict::Inconclusive, "{effect}");
        assert_eq!(found.reason, Reason::TooFewBlocks { blocks: 2, max_blocks: 10 });
    }
}

#[test]
fn a_smaller_budget_is_used_up_first() {
    let rule = TimeRule { max_blocks: 3, ..RULE };
    let after = |count| rule.decide(own(0.003), &blocks(count, 0.3), count == 3).verdict;
    assert_eq!([after(2), after(3)], [Verdict::Inconclusive, Verdict::Regressed]);
}

#[test]
fn a_burst_on_one_side_over_half_of_thirty_pairs_never_fails() {
    for start in 0..=45 {
        let mut all = blocks(10, 0.0);
        let pairs = all.iter_mut().flatten();
        pairs.skip(start).take(15).for_each(|pair| pair.log_ratio += 0.2);
        for count in 1..=10 {
            let found = RULE.decide(own(0.002), &all[..count], count == 10);
            assert_ne!(found.verdict, Verdict::Regressed, "from {start} after {count}");
        }
    }
}

#[test]
fn less_than_the_margin_is_no_regression_however_sure() {
    let found = RULE.decide(own(0.0001), &blocks(10, 0.009), true);
    assert_eq!(found.verdict, Verdict::Pass);
}

#[test]
fn noise_comes_with_the_minimum_detectable_effect() {
    let mut wide = blocks(10, 0.0);
    let pairs = wide.iter_mut().flatten().enumerate();
    pairs.for_each(|(place, pair)| pair.log_ratio = 0.2 * ((place * 7 % 10) as f64 - 4.5));
    let found = RULE.decide(own(0.003), &wide, true);
    assert_eq!((found.verdict, found.open), (Verdict::Inconclusive, false));
    assert!(found.minimum_detectable_effect.unwrap() > 0.5);
    assert_eq!(found.reason, Reason::TooNoisy { limit: Limit::BetweenPairs, blocks: 10 });
}

#[test]
fn pairs_of_one_link_tell_no_more_of_layouts() {
    let mut one = blocks(10, 0.02);
    one.iter_mut().flatten().for_each(|pair| pair.links = (0, 0));
    assert_eq!(RULE.decide(own(0.004), &blocks(10, 0.02), true).verdict, Verdict::Regressed);
    let found = RULE.decide(own(0.004), &one, true);
    assert_ne!(found.verdict, Verdict::Regressed);
    assert_eq!((found.links, found.se_calibrated), (1, Some(0.004)));
}

#[test]
fn four_links_of_ten_pairs_are_judged_by_the_calibration() {
    let rule = TimeRule { max_blocks: 4, ..RULE };
    let block = |link: u32, effect: f64| -> Vec<PairEffect> {
        let scatter = |i: u32| (f64::from(i) - 4.5) * 0.0005;
        (0..10)
            .map(|i| PairEffect { links: (link, link), log_ratio: effect + scatter(i) })
            .collect()
    };
    let run = |effect: f64| (0..4).map(|link| block(link, effect)).collect::<Vec<_>>();
    let found = rule.decide(own(0.004), &run(0.05), true);
    assert_eq!((found.verdict, found.degrees_of_freedom), (Verdict::Regressed, 29.0));
    assert_eq!(rule.decide(own(0.004), &run(0.001), true).verdict, Verdict::Pass);
    let unknown = Sigma { value: 0.02, source: SigmaSource::Assumed, ..own(0.02) };
    assert_eq!(rule.decide(unknown, &run(0.05), true).verdict, Verdict::Inconclusive);
}

#[test]
fn earlier_analyses_must_be_clearer() {
    let at: Vec<f64> = (1..=10).map(|count| RULE.critical(29.0, count)).collect();
    assert!(at.windows(2).all(|pair| pair[0] > pair[1]), "{at:?}");
    assert!((at[4] / at[9] - 2.0_f64.sqrt()).abs() < 1e-12);
    assert!(at[9] > t_quantile(1.0 - 0.01 / 120.0, 29.0));
}

fn some_blocks() -> impl Strategy<Value = Vec<Vec<PairEffect>>> {
    prop::collection::vec(prop::collection::vec(-0.05_f64..0.05, 6), 5..=10).prop_map(|all| {
        let number = |block: usize, pair: usize| (block * 6 + pair) as u32;
        let one = |(block, logs): (usize, &Vec<f64>)| {
            let pair = |(pair, log): (usize, &f64)| PairEffect {
                links: (number(block, pair), number(block, pair)),
                log_ratio: *log,
            };
            logs.iter().enumerate().map(pair).collect()
        };
        all.iter().enumerate().map(one).collect()
    })
}

fn moved(blocks: &[Vec<PairEffect>], by: impl Fn(f64) -> f64) -> Vec<Vec<PairEffect>> {
    let one = |pair: &PairEffect| PairEffect { log_ratio: by(pair.log_ratio), ..*pair };
    blocks.iter().map(|block| block.iter().map(one).collect()).collect()
}

proptest! {
    /// Adding a slowdown to every pair never turns a fail into a pass.
    #[test]
    fn more_slowdown_is_never_better(logs in some_blocks(), more in 0.0_f64..0.2) {
        let verdict = |extra: f64| RULE.decide(own(0.004), &moved(&logs, |log| log + extra), true).verdict;
        if verdict(0.0) == Verdict::Regressed {
            prop_assert_eq!(verdict(more), Verdict::Regressed);
        }
        if verdict(more) == Verdict::Improved {
            prop_assert_eq!(verdict(0.0), Verdict::Improved);
        }
    }

    /// Base and head exchanged: regressed and improved exchange too.
    #[test]
    fn the_rule_is_fair(logs in some_blocks(), more in -0.05_f64..0.05) {
        let logs = moved(&logs, |log| log + more);
        let verdict = |blocks: &[Vec<PairEffect>]| RULE.decide(own(0.004), blocks, true).verdict;
        let turned = moved(&logs, |log| -log);
        prop_assert_eq!(verdict(&logs) == Verdict::Regressed, verdict(&turned) == Verdict::Improved);
    }
}

/// A comparison of builds that differ by `effect`, as it is measured: block after block until the rule has
/// decided, with a sigma that was learned from 31 links of unchanged code.
fn measured(effect: f64, draws: &mut Noisy) -> TimeDecision {
    let mut pair = |effect: f64| effect + 0.004 * draws.draw() + 0.006 * draws.draw();
    let learned: Vec<f64> = (0..31).map(|_| pair(0.0)).collect();
    let sigma = own(deviation(&learned).unwrap());
    let mut blocks: Vec<Vec<PairEffect>> = Vec::new();
    loop {
        let first = 6 * blocks.len() as u32;
        let one = |link: u32| PairEffect { links: (link, link), log_ratio: pair(effect) };
        blocks.push((first..first + 6).map(one).collect());
        let found = RULE.decide(sigma, &blocks, blocks.len() == 10);
        if !found.open {
            return found;
        }
    }
}

/// Reports say that the interval of a change covers it in 95 % of such measurements.
#[test]
fn the_interval_of_a_change_covers_it_as_often_as_it_says() {
    for effect in [0.0, 0.01, 0.025, 0.05] {
        let mut draws = Noisy(11);
        let runs = 4000;
        let covered = (0..runs)
            .filter(|_| {
                let found = measured(effect, &mut draws);
                found.low.unwrap() <= effect && effect <= found.high.unwrap()
            })
            .count();
        let share = covered as f64 / f64::from(runs);
        // Three standard errors of such a share are 1 %.
        assert!(share > 0.94, "{share} of the intervals cover {effect}");
    }
}
