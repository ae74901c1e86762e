//! The evidence on file shows what is promised. It is made by `examples/evidence`.

use serde_json::Value;

fn rows(kind: &str) -> Vec<Value> {
    let file = include_str!("../../evidence/results.json");
    let results: Value = serde_json::from_str(file).unwrap();
    results[kind].as_array().unwrap().clone()
}

fn ours(row: &Value) -> bool {
    row["rule"].as_str().unwrap().starts_with("shakedown")
}

#[test]
fn at_most_one_percent_of_unchanged_pull_requests_fail() {
    let alarms = rows("alarms");
    let mut conditions = 0;
    for row in alarms.iter().filter(|row| ours(row)) {
        assert!(row["pull_requests"].as_u64().unwrap() >= 1000, "{row}");
        assert!(row["upper"].as_f64().unwrap() <= 0.01, "{row}");
        conditions += 1;
    }
    assert!(conditions >= 12, "six conditions, calibrated and not");
}

#[test]
fn three_percent_are_found_where_builds_differ_by_a_third_of_one() {
    let found: Vec<f64> = rows("power")
        .iter()
        .filter(|row| row["rule"] == "shakedown" && row["source"] == "synthetic")
        .filter(|row| row["condition"] == "offset 0.3 %" && row["slowdown"] == 0.03)
        .map(|row| row["found"].as_f64().unwrap())
        .collect();
    assert_eq!(found.len(), 1);
    assert!(found[0] > 0.91, "{found:?}");
}
