use super::*;
use proptest::prelude::*;
use shakedown_protocol::fixture::Noisy;
use shakedown_summary::stats::deviation;

const RULE: TimeRule = TimeRule {
    margin: 0.01,
    non_inferiority_margin: 0.03,
    max_blocks: 4,
    false_alarms: 0.01,
    tests: 60,
};

fn own(value: f64) -> Sigma {
    Sigma { value, degrees_of_freedom: 30.0, source: SigmaSource::ThisScenario }
}

/// A block around `effect` with a little scatter that averages out.
fn block(effect: f64) -> Vec<f64> {
    [-2.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 1.0, 2.0].map(|s| effect + s * 0.001).to_vec()
}

#[test]
fn unchanged_code_passes_after_one_calibrated_block() {
    let found = RULE.decide(own(0.004), &[block(0.001)], 1, false);
    assert_eq!((found.verdict, found.open), (Verdict::Pass, false), "{:?}", found.reason);
    let unknown = Sigma { source: SigmaSource::Assumed, ..own(0.004) };
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
        let blocks: Vec<Vec<f64>> = logs.chunks(10).map(<[f64]>::to_vec).collect();
        for count in 1..=4 {
            let found = RULE.decide(own(0.002), &blocks[..count], count, count == 4);
            assert_ne!(found.verdict, Verdict::Regressed, "from {start} after {count}");
        }
    }
}

#[test]
fn one_wild_block_never_fails() {
    let blocks = [block(0.0), block(0.3), block(0.0), block(0.0)];
    for count in 1..=4 {
        let found = RULE.decide(own(0.002), &blocks[..count], count, count == 4);
        assert_ne!(found.verdict, Verdict::Regressed, "after {count}");
    }
}

#[test]
fn less_than_the_margin_is_no_regression_however_sure() {
    let blocks: Vec<Vec<f64>> = (0..4).map(|_| block(0.009)).collect();
    let found = RULE.decide(own(0.0001), &blocks, 4, true);
    assert_eq!(found.verdict, Verdict::Pass);
}

#[test]
fn noise_comes_with_the_minimum_detectable_effect() {
    let wide: Vec<f64> = (0..10).map(|i| 0.2 * (f64::from(i) - 4.5)).collect();
    let blocks = vec![wide; 4];
    let found = RULE.decide(own(0.003), &blocks, 4, true);
    assert_eq!((found.verdict, found.open), (Verdict::Inconclusive, false));
    assert!(found.minimum_detectable_effect.unwrap() > 0.5);
    assert_eq!(found.reason, Reason::TooNoisy { limit: Limit::BetweenBlocks, blocks: 4 });
}

#[test]
fn one_layout_does_not_average_out() {
    let blocks: Vec<Vec<f64>> = (0..4).map(|_| block(0.02)).collect();
    let (many, one) =
        (RULE.decide(own(0.004), &blocks, 4, true), RULE.decide(own(0.004), &blocks, 1, true));
    assert_eq!(many.verdict, Verdict::Regressed);
    assert_ne!(one.verdict, Verdict::Regressed);
}

proptest! {
    /// Adding a slowdown to every pair never turns a fail into a pass.
    #[test]
    fn more_slowdown_is_never_better(
        logs in proptest::collection::vec(proptest::collection::vec(-0.05f64..0.05, 10), 2..=4),
        more in 0.0f64..0.2
    ) {
        let verdict = |extra: f64| {
            let blocks: Vec<Vec<f64>> =
                logs.iter().map(|block| block.iter().map(|log| log + extra).collect()).collect();
            RULE.decide(own(0.004), &blocks, blocks.len(), true).verdict
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
            logs.iter().map(|block| block.iter().map(|log| -log).collect()).collect();
        let verdict = |blocks: &[Vec<f64>]| RULE.decide(own(0.004), blocks, blocks.len(), true).verdict;
        prop_assert_eq!(verdict(&logs) == Verdict::Regressed, verdict(&turned) == Verdict::Improved);
    }
}

/// A comparison of builds that differ by `effect`, as it is measured: block after block until the rule has
/// decided, with a sigma that was learned from 31 blocks of unchanged code.
fn measured(effect: f64, draws: &mut Noisy) -> TimeDecision {
    let mut block = |effect: f64| -> Vec<f64> {
        let build = effect + 0.004 * draws.draw();
        (0..10).map(|_| build + 0.006 * draws.draw()).collect()
    };
    let learned = (0..31).map(|_| BlockEffect::of(&block(0.0)).unwrap().effect);
    let sigma = own(deviation(&learned.collect::<Vec<f64>>()).unwrap());
    let mut blocks = Vec::new();
    loop {
        blocks.push(block(effect));
        let found = RULE.decide(sigma, &blocks, blocks.len(), blocks.len() == 4);
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
