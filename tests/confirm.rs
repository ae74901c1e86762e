//! Suspects measured again, from nights to a decision in the history: of a miniature stack whose
//! regressions are exact, and of rustls itself.

mod common;

use common::{
    NOOP, measured,
    nights::{DAY, History, SMALL, START, argument},
    record, root,
    toy::{TOY, Toy, night},
    upstream::{Upstream, copy},
};
use serde_json::{Value, json};
use shakedown_protocol::{Meter, RunRecord, TrialOutcome};
use shakedown_schedule::Suite;
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

/// Nine nights of one record, then four of another.
fn thirteen(before: &RunRecord, after: &RunRecord) -> Vec<RunRecord> {
    (0..13).map(|number| night(number, if number < 9 { before } else { after })).collect()
}

/// The run, with so many times the bytes of the client on the wire: what a broken host or a broken
/// night may have put into a history.
fn with_bytes(run: &RunRecord, factor: f64) -> RunRecord {
    let mut run = run.clone();
    for trial in run.trials.iter_mut().filter(|trial| trial.meter == Meter::Heap) {
        if let TrialOutcome::Measured(measured) = &mut trial.outcome
            && let Some(wire) = &mut measured.wire
        {
            let bytes = &mut wire.client.bytes;
            *bytes = (*bytes as f64 * factor).round() as u64;
        }
    }
    run
}

/// The suspect of one side and metric, found by looking at the nights.
fn suspect(history: &History, side: &str, metric: &str) -> Value {
    let found = history.json(&["history", "changes"]);
    let wanted = |one: &&Value| one["series"]["side"] == side && one["series"]["metric"] == metric;
    let one = found.as_array().unwrap().iter().find(wanted);
    one.unwrap_or_else(|| panic!("no suspect of {side} {metric}: {found:#}")).clone()
}

/// What the history says of a suspect now.
fn known(history: &History, id: &Value) -> Value {
    let all = history.json(&["history", "changes", "--all", "--no-scan"]);
    all.as_array().unwrap().iter().find(|one| one["id"] == *id).expect("it is kept").clone()
}

/// Measures the suspect again; what the command says, having ended with this code.
fn confirm(history: &History, suspect: &Value, more: &[&str], code: i32) -> Value {
    let out = history.at("again");
    let id = suspect["id"].as_str().unwrap();
    let arguments = [&["confirm", id, "--out", argument(&out)], more].concat();
    let decided = history.json_and_exit(&arguments, code);
    assert!(out.join("report.html").exists(), "no report: {decided:#}");
    decided
}

/// The evidence for the newest decision names the run, and the run is in the history.
fn rests_on_its_run(history: &History, decided: &Value, words: &str) {
    let run = decided["run"].as_str().expect("it was measured");
    assert_eq!(history.json(&["history", "list"])[0]["name"], run);
    let now = known(history, &decided["suspect"]["id"]);
    assert_eq!(now["state"], decided["state"]);
    let evidence = now["decisions"][1]["evidence"].as_str().unwrap();
    assert!(evidence.contains(run) && evidence.contains(words), "{evidence}");
    let verified = history.json(&["history", "verify"]);
    assert_eq!(verified["problems"], json!([]));
}

fn toy_history(before: &RunRecord, after: &RunRecord) -> History {
    let history = History::new().with_environment(Toy::get().environment());
    history.add(thirteen(before, after));
    history
}

#[test]
fn a_regression_of_a_revision_is_confirmed() {
    let Toy { upstream, one, two, .. } = Toy::get();
    let history = toy_history(&one.1, &two.1);
    let suspect = suspect(&history, "client", "wire-bytes");
    assert_eq!(suspect["series"]["subject"], TOY, "a name that moves is one series");
    assert_eq!((&suspect["state"], &suspect["worse"]), (&json!("suspect"), &json!(true)));
    let range = history.json(&["history", "bisect-range", suspect["id"].as_str().unwrap()]);
    assert_eq!(range["last_good"]["revision"], one.0);
    assert_eq!(range["first_bad"]["revision"], two.0);
    assert_eq!(range["repository"], argument(upstream.folder()));

    let decided = confirm(&history, &suspect, &[], 1);
    assert_eq!(decided["state"], "confirmed", "{decided:#}");
    assert_eq!(decided["comparison"]["verdict"], "regressed");
    assert_eq!(decided["comparison"]["change"], json!(1.0), "twice the records");
    assert_eq!(decided["between_nights"], json!([]), "nothing but the revision");
    rests_on_its_run(&history, &decided, "first bad against last good is regressed");
    let causes = history.json(&["history", "causes"]);
    assert_eq!((&causes[0]["state"], &causes[0]["stack"]), (&json!("confirmed"), &json!("toy")));
    // The record says which commits were built, whatever the branch is by now.
    let again = record(&history.at("again"));
    let commits: Vec<_> =
        again.subjects.iter().map(|entry| entry.artifact.source.revision.clone()).collect();
    assert_eq!(commits, [Some(one.0.clone()), Some(two.0.clone())]);
    // What is decided is not measured again, and stays bad news.
    let id = suspect["id"].as_str().unwrap();
    let told = history.json_and_exit(&["confirm", id], 1);
    assert_eq!((&told["state"], &told["run"]), (&json!("confirmed"), &Value::Null));
}

#[test]
fn a_gain_is_confirmed_and_no_failure() {
    let Toy { one, two, .. } = Toy::get();
    let history = toy_history(&two.1, &one.1);
    let suspect = suspect(&history, "server", "records");
    assert_eq!(suspect["worse"], json!(false));
    let decided = confirm(&history, &suspect, &[], 0);
    assert_eq!(decided["state"], "confirmed", "{decided:#}");
    rests_on_its_run(&history, &decided, "last good against first bad is regressed");
}

#[test]
fn what_the_code_does_not_show_is_dismissed() {
    let Toy { one, same, .. } = Toy::get();
    let history = toy_history(&one.1, &with_bytes(&same.1, 2.0));
    let suspect = suspect(&history, "client", "wire-bytes");
    assert_eq!(suspect["first_bad"]["revision"], same.0);
    let decided = confirm(&history, &suspect, &[], 0);
    assert_eq!(decided["state"], "dismissed", "{decided:#}");
    rests_on_its_run(&history, &decided, "first bad against last good is unchanged");
}

#[test]
fn a_commit_that_is_gone_decides_nothing() {
    let Toy { one, two, .. } = Toy::get();
    let mut bad = two.1.clone();
    let gone = "f".repeat(40);
    bad.subjects[0].artifact.source.revision = Some(gone.clone());
    let history = toy_history(&one.1, &bad);
    let suspect = suspect(&history, "client", "wire-bytes");
    let out = history.at("again");
    let id = suspect["id"].as_str().unwrap();
    let failed = history.call(&["confirm", id, "--out", argument(&out)]).code(2);
    let said = String::from_utf8(failed.get_output().stderr.clone()).unwrap();
    assert!(said.contains(&gone), "{said}");
    let now = known(&history, &suspect["id"]);
    assert_eq!((&now["state"], now["decisions"].as_array().unwrap().len()), (&json!("suspect"), 1));
}

#[test]
fn a_release_is_measured_against_itself() {
    // A release stands still: what moved its series is the host, or how it was built.
    let release = NOOP.split_once('@').unwrap().0;
    let run = measured(&[], &[&SMALL[..], &[release]].concat());
    let history = History::new();
    history.add(thirteen(&run, &with_bytes(&run, 3.0)));
    let suspect = suspect(&history, "client", "wire-bytes");
    assert_eq!(suspect["series"]["subject"], "noop@0.1.0");
    assert_eq!(suspect["last_good"]["revision"], suspect["first_bad"]["revision"]);
    let decided = confirm(&history, &suspect, &[], 0);
    assert_eq!(decided["state"], "dismissed", "{decided:#}");
    rests_on_its_run(&history, &decided, "is unchanged");
}

/// The release that is taken apart below.
const RELEASE: &str = "0.23.46";

/// A checkout of rustls as a repository: the release's own files, in a workspace.
fn rustls() -> Upstream {
    let folder = tempfile::tempdir().unwrap();
    let fetch = folder.path();
    fs::create_dir(fetch.join("src")).unwrap();
    fs::write(fetch.join("src/lib.rs"), "").unwrap();
    let manifest = format!(
        "[package]\nname = \"fetch\"\nedition = \"2021\"\n\n[dependencies]\nrustls = \"={RELEASE}\"\n\n[workspace]\n"
    );
    fs::write(fetch.join("Cargo.toml"), manifest).unwrap();
    // Cargo fetches the crate, checks its digest, and says where it has it.
    let output = Command::new("cargo")
        .args(["metadata", "--format-version", "1"])
        .current_dir(fetch)
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut packages = metadata["packages"].as_array().unwrap().iter();
    let package = packages.find(|package| package["name"] == "rustls").unwrap();
    let manifest = PathBuf::from(package["manifest_path"].as_str().unwrap());

    let upstream = Upstream::new("rustls-upstream");
    let library = upstream.folder().join("rustls");
    copy(manifest.parent().unwrap(), &library);
    for name in [".cargo-ok", "Cargo.lock", "Cargo.toml.orig"] {
        let _ = fs::remove_file(library.join(name));
    }
    upstream.write("Cargo.toml", "[workspace]\nmembers = [\"rustls\"]\nresolver = \"2\"\n");
    upstream
}

/// A suite of one resumption, with these instruments.
fn suite(folder: &Path, meters: &str) -> PathBuf {
    let path = folder.join("one.toml");
    let text = format!(
        "name = \"one\"\ndescription = \"One resumption, counted\"\nblocks = 1\naslr = \"off\"\n\
         meters = [{meters}]\ntickets = 2\n\n\
         [budget]\nwarm-up-ms = 1\nmeasure-ms = 20\nbatch-ms = 2\noperations = 20\ntimeout-ms = 60000\n\n\
         [[scenarios]]\nkind = [\"handshake-ticket\"]\nversion = [\"tls1.3\"]\ncipher-suite = [\"aes256-gcm\"]\n\
         group = [\"x25519\"]\nkey = [\"ecdsa-p256\"]\n"
    );
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn the_suite_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = suite(folder.path(), "\"instructions\"");
    let suite = Suite::load(folder.path(), argument(&path)).unwrap();
    assert_eq!(suite.scenarios.len(), 1);
    assert_eq!(suite.meters, [Meter::Instructions]);
}

/// Measures a subject once, as on the night of this number.
fn measure(subject: &str, suite: &Path, number: u64) -> RunRecord {
    let mut run = measured(&[], &["--blocks", "1", "--suite", argument(suite), subject]);
    run.id = format!("night-{number}");
    run.started_ms = START + number * DAY;
    run
}

#[test]
#[ignore = "builds rustls"]
fn a_slowdown_of_rustls_is_confirmed() {
    let upstream = rustls();
    let good = upstream.commit("The release");
    let history = History::new();
    let suite = suite(&history.at(""), "\"instructions\"");
    let subject = format!("rustls@git:{}#main+ring", upstream.folder().display());
    // Every night is measured: what the counts scatter by themselves is part of this.
    history.add((0..8).map(|number| measure(&subject, &suite, number)));
    let patch = root().join("thresholds/evidence/real/patches/handshake-10.patch");
    upstream.git(&["apply", argument(&patch)]);
    let bad = upstream.commit("A useless checksum in each handshake");
    history.add((8..11).map(|number| measure(&subject, &suite, number)));

    let found = history.json(&["history", "changes"]);
    assert_eq!(found.as_array().unwrap().len(), 1, "the server, and nothing else: {found:#}");
    let suspect = suspect(&history, "server", "instructions");
    assert_eq!(suspect["series"]["subject"], subject);
    assert_eq!(suspect["last_good"]["revision"], good);
    assert_eq!(suspect["first_bad"]["revision"], bad);
    let decided = confirm(&history, &suspect, &["--suite", argument(&suite)], 1);
    assert_eq!(decided["state"], "confirmed", "{decided:#}");
    rests_on_its_run(&history, &decided, "regressed");
    eprintln!("{:#}", decided["comparison"]);
}

#[test]
#[ignore = "builds rustls"]
fn a_night_that_misled_about_a_release_of_rustls_is_dismissed() {
    let history = History::new();
    let suite = suite(&history.at(""), "\"heap\"");
    let run = measure(&format!("rustls@{RELEASE}+ring"), &suite, 0);
    history.add(thirteen(&run, &with_bytes(&run, 1.1)));
    let suspect = suspect(&history, "client", "wire-bytes");
    assert_eq!(suspect["series"]["subject"], format!("rustls@{RELEASE}+ring"));
    let decided = confirm(&history, &suspect, &["--suite", argument(&suite)], 0);
    assert_eq!(decided["state"], "dismissed", "{decided:#}");
    rests_on_its_run(&history, &decided, "is unchanged");
}
