//! Every function of `shakedown_summary::stats` against SciPy: `scipy/expected.json` was written by
//! `scipy/expected.py`.

use serde_json::Value;
use shakedown_summary::stats;

fn expected() -> Value {
    serde_json::from_str(include_str!("scipy/expected.json")).unwrap()
}

fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    let found = value[name].as_array().unwrap();
    assert!(!found.is_empty());
    found
}

fn number(value: &Value, name: &str) -> f64 {
    value[name].as_f64().unwrap_or_else(|| panic!("no number {name} in {value}"))
}

fn numbers(value: &Value, name: &str) -> Vec<f64> {
    list(value, name).iter().map(|v| v.as_f64().unwrap()).collect()
}

#[track_caller]
fn close(what: &str, ours: f64, theirs: f64, relative: f64) {
    let scale = theirs.abs().max(1e-12);
    assert!(((ours - theirs) / scale).abs() <= relative, "{what}: {ours} instead of {theirs}");
}

#[test]
fn one_series() {
    for case in list(&expected(), "one") {
        let values = numbers(case, "values");
        let interval = stats::median_interval(&values).unwrap();
        close("median", interval.median, number(case, "median"), 1e-13);
        close("low", interval.low, number(case, "low"), 1e-13);
        close("high", interval.high, number(case, "high"), 1e-13);
        close("coverage", interval.coverage, number(case, "coverage"), 1e-12);
        close("mean", stats::mean(&values).unwrap(), number(case, "mean"), 1e-13);
        close("deviation", stats::deviation(&values).unwrap(), number(case, "deviation"), 1e-12);
        let trimmed = stats::trimmed_mean(&values, 0.2).unwrap();
        close("trimmed", trimmed.mean, number(case, "trimmed"), 1e-13);
        close("trimmed se", trimmed.se.unwrap(), number(case, "trimmed_se"), 1e-11);
        let points: Vec<(f64, f64)> =
            values.iter().enumerate().map(|(x, y)| (x as f64, *y)).collect();
        let (slope, intercept) = stats::slope(&points).unwrap();
        close("slope", slope, number(case, "slope"), 1e-9);
        close("intercept", intercept, number(case, "intercept"), 1e-12);
    }
}

#[test]
fn two_series() {
    for case in list(&expected(), "two") {
        let (base, head) = (numbers(case, "base"), numbers(case, "head"));
        let welch = stats::welch_greater(&base, &head).unwrap();
        close("welch", welch, number(case, "welch_greater"), 1e-9);
        let mann_whitney = stats::mann_whitney(&base, &head).unwrap();
        close("mann-whitney", mann_whitney, number(case, "mann_whitney"), 1e-8);
    }
}

#[test]
fn distributions() {
    let expected = expected();
    for case in list(&expected, "t") {
        let (p, df) = (number(case, "p"), number(case, "df"));
        let theirs = number(case, "quantile");
        if p > 0.5 {
            close(&format!("t({p}, {df})"), stats::t_quantile(p, df), theirs, 1e-8);
            close("t above", stats::t_above(theirs, df), number(case, "above"), 1e-8);
        } else {
            assert!(stats::t_quantile(p, df).abs() < 1e-9);
        }
    }
    for case in list(&expected, "normal") {
        let (ours, theirs) = (stats::normal_quantile(number(case, "p")), number(case, "quantile"));
        assert!((ours - theirs).abs() < 1e-9, "{ours} instead of {theirs}");
    }
    for case in list(&expected, "clopper_pearson") {
        let (hits, n) = (number(case, "hits") as u64, number(case, "n") as u64);
        let ours = stats::clopper_pearson_upper(hits, n, 0.95);
        close(&format!("bound of {hits} in {n}"), ours, number(case, "upper"), 1e-9);
    }
}
