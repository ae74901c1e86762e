//! The change points of Apache Otava itself on the same series; `otava/make.py` asked it.

use serde_json::Value;
use shakedown_store::change::divisive::{DivisiveOptions, change_points};

#[test]
fn finds_what_otava_finds() {
    let expected: Value = serde_json::from_str(include_str!("otava/expected.json")).unwrap();
    let mut points = 0;
    for (number, case) in expected["cases"].as_array().unwrap().iter().enumerate() {
        let number_of = |value: &Value| value.as_f64().unwrap();
        let values: Vec<f64> = case["values"].as_array().unwrap().iter().map(number_of).collect();
        for result in case["results"].as_array().unwrap() {
            let options = DivisiveOptions {
                window: result["window"].as_u64().unwrap() as usize,
                max_p: number_of(&result["max_p"]),
                min_magnitude: number_of(&result["min_magnitude"]),
            };
            let found = change_points(&values, &options);
            let wanted = result["points"].as_array().unwrap();
            let indices: Vec<u64> = wanted.iter().map(|p| p["index"].as_u64().unwrap()).collect();
            let ours: Vec<u64> = found.iter().map(|point| point.index as u64).collect();
            assert_eq!(ours, indices, "series {number}, {options:?}");
            for (ours, theirs) in found.iter().zip(wanted) {
                close(ours.p, number_of(&theirs["p"]), 1e-6);
                close(ours.before, number_of(&theirs["before"]), 1e-12);
                close(ours.after, number_of(&theirs["after"]), 1e-12);
                points += 1;
            }
        }
    }
    assert!(points > 20, "a comparison of nothing: {points}");
}

fn close(ours: f64, theirs: f64, relative: f64) {
    let apart = (ours - theirs).abs();
    assert!(apart <= relative * theirs.abs() + 1e-15, "{ours} instead of {theirs}");
}
