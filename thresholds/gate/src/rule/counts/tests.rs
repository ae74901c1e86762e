use super::*;
use proptest::prelude::*;

const RULE: CountRule =
    CountRule { margin: 0.002, allowance: 0.0, non_inferiority_margin: 0.01, runs: 8 };

fn verdict(base: &[f64], head: &[f64]) -> (Verdict, bool) {
    let found = RULE.decide(base, head, false);
    (found.verdict, found.open)
}

#[test]
fn exact_repeats_pass_after_two_runs_and_are_gated_tightly_after_all() {
    assert_eq!(verdict(&[1000.0; 2], &[1000.0; 2]), (Verdict::Pass, false));
    assert_eq!(verdict(&[1000.0; 2], &[1002.0; 2]), (Verdict::Pass, false));
    assert_eq!(verdict(&[1000.0; 2], &[1003.0; 2]), (Verdict::Inconclusive, true));
    assert_eq!(verdict(&[1000.0; 8], &[1003.0; 8]), (Verdict::Regressed, false));
    assert_eq!(verdict(&[1000.0; 8], &[990.0; 8]), (Verdict::Improved, false));
    // The same twice repeats, whichever side it is of.
    assert_eq!(verdict(&[1000.0; 1], &[1000.0; 1]), (Verdict::Pass, false));
    assert_eq!(verdict(&[1000.0; 1], &[1000.1; 1]), (Verdict::Inconclusive, true));
}

#[test]
fn one_more_allocation_is_found() {
    let rule = CountRule { margin: 0.0, ..RULE };
    assert_eq!(rule.decide(&[60.0; 8], &[61.0; 8], false).verdict, Verdict::Regressed);
    assert_eq!(rule.decide(&[0.0; 8], &[1.0; 8], false).verdict, Verdict::Regressed);
    assert_eq!(rule.decide(&[0.0; 2], &[0.0; 2], false).verdict, Verdict::Pass);
}

#[test]
fn what_does_not_repeat_is_extended() {
    let base = [1000.0, 1001.0, 1002.0, 1000.0, 1001.0, 1002.0, 1000.0, 1001.0];
    let head = base.map(|value| value + 1.0);
    assert_eq!(verdict(&base[..2], &[1005.0, 1006.0]), (Verdict::Inconclusive, true));
    assert_eq!(verdict(&base[..2], &[990.0, 991.0]), (Verdict::Inconclusive, true));
    assert_eq!(verdict(&base[..2], &[1000.0, 1030.0]), (Verdict::Inconclusive, true));
    assert_eq!(verdict(&base, &head), (Verdict::Pass, false));
    assert_eq!(verdict(&base, &base.map(|v| v + 5.0)), (Verdict::Regressed, false));
    assert_eq!(verdict(&base, &base.map(|v| v - 5.0)), (Verdict::Improved, false));
    let wide = base.map(|v| v + (v - 1000.0) * 30.0);
    assert_eq!(verdict(&base, &wide), (Verdict::Inconclusive, false));
}

/// Seen on a real library compared with itself: 3490 allocations twice, and 3491 twice.
#[test]
fn two_equal_runs_a_side_may_be_chance() {
    let rule = CountRule { margin: 0.0, ..RULE };
    let (base, head) = ([174.5; 2], [174.55; 2]);
    assert!(rule.decide(&base, &head, false).open);
    assert_eq!(rule.decide(&base, &head, true).verdict, Verdict::Inconclusive);
    let longer = [174.5, 174.5, 174.6];
    assert_eq!(rule.decide(&longer, &longer, false).verdict, Verdict::Pass);
}

#[test]
fn ranges_that_overlap_need_no_more_runs() {
    assert_eq!(verdict(&[1000.0, 1001.0], &[1001.0, 1002.0]), (Verdict::Pass, false));
}

#[test]
fn an_early_end_never_fails_what_does_not_repeat() {
    let found = RULE.decide(&[1000.0, 1001.0], &[1100.0, 1101.0], true);
    assert_eq!((found.verdict, found.open), (Verdict::Inconclusive, false));
    assert_eq!(found.reason, Reason::TooFewRuns { exact: false, runs: 2, required: 8 });
}

#[test]
fn chance_on_the_wire_is_no_growth() {
    let rule = CountRule { margin: 0.0, allowance: 4.0, non_inferiority_margin: 0.005, runs: 8 };
    assert_eq!(rule.decide(&[1500.0; 2], &[1502.0; 2], false).verdict, Verdict::Pass);
    assert_eq!(rule.decide(&[1500.0; 8], &[1532.0; 8], false).verdict, Verdict::Regressed);
}

proptest! {
    #[test]
    fn no_numbers_make_it_panic(
        base in proptest::collection::vec(0.0f64..1e18, 0..10),
        head in proptest::collection::vec(0.0f64..1e18, 0..10), last: bool
    ) {
        let found = RULE.decide(&base, &head, last);
        prop_assert!(!(last && found.open));
    }

    #[test]
    fn equal_sides_never_fail(values in proptest::collection::vec(1.0f64..1e9, 1..10)) {
        let found = RULE.decide(&values, &values, true);
        prop_assert!(matches!(found.verdict, Verdict::Pass | Verdict::Inconclusive));
    }
}
