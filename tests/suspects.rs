//! Suspects of the history: found once, confirmed or left open.

mod common;

use common::{
    NOOP,
    nights::{DAY, History, SCENARIO, START, argument, night},
    record,
};
use serde_json::{Value, json};
use shakedown_protocol::{RunRecord, TrialOutcome};
use std::{fs, path::Path};

#[test]
fn a_change_is_found_once_and_its_range_told() {
    let history = History::with_a_change();
    let found = history.json(&["history", "changes"]);
    let first = found.as_array().unwrap();
    assert_eq!(first.len(), 1, "{found:#}");
    let one = &first[0];
    assert_eq!(one["series"]["metric"], "wire-bytes");
    assert_eq!(one["change"]["factor"].as_f64().unwrap().round(), 2.0);
    assert_eq!(one["worse"], json!(true));
    assert_eq!(one["first_bad"]["started_ms"], json!(START + 9 * DAY));
    assert_eq!((one["stack"].as_str(), one["state"].as_str()), (Some("noop"), Some("suspect")));
    // Asked again, nothing new; the range is that of the suspect.
    assert_eq!(history.json(&["history", "changes"]), found);
    let range = history.json(&["history", "bisect-range", one["id"].as_str().unwrap()]);
    assert_eq!(range["last_good"]["run"], one["last_good"]["run"]);
    assert_eq!(range["same_revision"], json!(true), "the folder did not change");
    let text = history.text(&["history", "bisect-range", one["id"].as_str().unwrap()]);
    assert!(text.contains("tree:") && text.contains("did not change"), "{text}");
    history.call(&["history", "bisect-range", "0123456789ab"]).code(2);
    // One cause; none left once its only suspect is dismissed.
    let causes = history.json(&["history", "causes"]);
    assert_eq!(causes[0]["cause"], one["cause"]);
    assert_eq!(causes[0]["suspects"][0]["id"], one["id"]);
    let id = one["id"].as_str().unwrap();
    history.call(&["history", "decide", id, "dismissed", "--evidence", "x"]).success();
    assert_eq!(history.json(&["history", "causes"]), json!([]));
    assert_eq!(history.json(&["history", "causes", "--all"])[0]["state"], "dismissed");
}

#[test]
fn a_revision_that_moves_is_one_series() {
    let history = History::new();
    history.add((0..3).map(|number| {
        let mut run = night(number, 1);
        let commit = format!("{number:040x}");
        let entry = &mut run.subjects[0];
        entry.asked = "noop@git:HEAD".parse().unwrap();
        entry.artifact.subject = format!("noop@git:{commit}").parse().unwrap();
        entry.artifact.source.kind = "git".to_owned();
        entry.artifact.source.origin = "https://example.org/noop".to_owned();
        entry.artifact.source.revision = Some(commit.clone());
        entry.name = entry.artifact.subject.to_string();
        let name = entry.name.clone();
        run.trials.iter_mut().for_each(|trial| trial.subject.clone_from(&name));
        run
    }));
    let ask = ["history", "trend", SCENARIO, "--metric", "wire-bytes", "--side", "client"];
    let trends = history.json(&ask);
    assert_eq!(trends.as_array().unwrap().len(), 1);
    assert_eq!(trends[0]["subject"], "noop@git:HEAD");
    let revisions: Vec<&str> = trends[0]["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| point["revision"].as_str().unwrap())
        .collect();
    assert_eq!(revisions, [0, 1, 2].map(|number| format!("{number:040x}")));
}

#[test]
fn what_stays_open_is_a_suspect_still() {
    let history = History::new();
    history.add((0..13).map(|number| {
        let mut run = night(number, 1);
        let slower = if number < 9 { 1000 } else { 1500 } + number % 3;
        for trial in &mut run.trials {
            if let TrialOutcome::Measured(measured) = &mut trial.outcome {
                for sample in measured.sides.iter_mut().flat_map(|side| &mut side.samples) {
                    sample.nanoseconds = sample.operations * slower;
                }
            }
        }
        run
    }));
    let found = history.json(&["history", "changes"]);
    let of = |one: &&Value| one["series"]["metric"] == "handshakes";
    let one = found.as_array().unwrap().iter().find(of).expect("the rate fell");
    // Where unchanged code was seen to differ by tens of percent, nothing can be decided.
    let policy = history.at("policy.toml");
    fs::write(&policy, common::mini::POLICY).unwrap();
    history.add([noisy_comparison(&history, &policy)]);
    let out = history.at("again");
    let arguments =
        ["confirm", one["id"].as_str().unwrap(), "--policy", argument(&policy), "--out"];
    let open = history.call(&[&arguments[..], &[argument(&out)]].concat()).code(5);
    let text = String::from_utf8(open.get_output().stdout.clone()).unwrap();
    assert!(text.contains("it stays a suspect"), "{text}");
    let known = history.json(&["history", "changes", "--no-scan"]);
    let known = known.as_array().unwrap().iter().find(|other| other["id"] == one["id"]);
    let known = known.expect("still among the suspects");
    assert_eq!(known["state"], "suspect");
    assert_eq!(known["decisions"].as_array().unwrap().len(), 2, "the try is written down");
}

/// A comparison of unchanged code whose trials took anything from one to two and a half times as long.
fn noisy_comparison(history: &History, policy: &Path) -> RunRecord {
    let out = history.at("noisy");
    let options = ["--suite", "smoke", "--only", SCENARIO, "--policy", argument(policy), "--out"];
    history.call(&[&["compare", NOOP, NOOP], &options[..], &[argument(&out)]].concat());
    let mut noisy = record(&out);
    for (number, trial) in noisy.trials.iter_mut().enumerate() {
        trial.flaws.clear();
        if let TrialOutcome::Measured(measured) = &mut trial.outcome {
            for sample in measured.sides.iter_mut().flat_map(|side| &mut side.samples) {
                sample.nanoseconds = sample.operations * [1000, 2500, 1300, 1900][number % 4];
            }
        }
    }
    noisy
}

#[test]
fn nights_that_are_gone_or_not_ours_are_told() {
    let history = History::with_a_change();
    let suspect = history.client_suspect();
    let stderr = |arguments: &[&str]| {
        let failed = history.call(arguments).code(2);
        String::from_utf8(failed.get_output().stderr.clone()).unwrap()
    };
    assert!(stderr(&["confirm", "0123456789ab"]).contains("history changes --all"));
    let other = history.at("other");
    fs::create_dir(&other).unwrap();
    let manifest = "[package]\nname = \"noop\"\nversion = \"0.1.0\"\n";
    fs::write(other.join("Cargo.toml"), manifest).unwrap();
    let named = format!("noop@path:{}", other.display());
    let out = history.at("again");
    let arguments = ["confirm", &suspect, "--first-bad", &named, "--out", argument(&out)];
    let said = stderr(&arguments);
    assert!(said.contains("it is not what was measured before"), "{said}");
    assert!(!out.join("record.json").exists(), "nothing was measured");
    let known = history.json(&["history", "changes", "--no-scan"]);
    assert_eq!(known[0]["decisions"].as_array().unwrap().len(), 1, "nothing was decided");
}
