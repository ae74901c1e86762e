//! `nightly.yml`: a night and what becomes of it, a host that is not fit, and suspects.

use crate::{
    FULL,
    world::{Ran, World},
};
use assert_cmd::Command;
use serde_json::{Value, json};
use shakedown_forge::fake::FakeState;
use shakedown_protocol::{Incompatible, Meter, Misfit, RunRecord, Subject, TrialOutcome};
use std::{fs, path::Path};

/// A day, in milliseconds.
const DAY: u64 = 86_400_000;
const NIGHTS: u64 = 18;

const LAX: [&str; 4] = ["--var", "BENCH_NOISE_BLOCKS=0", "--var", "BENCH_REQUIRE_FIT=false"];

/// The stand-in forge has no repository of rustls: `tests/upstream.rs` covers what the job calls, and
/// `scripts/test --upstream` measures a real one.
const NO_UPSTREAM: [&str; 4] = ["--var", "BENCH_UPSTREAM=off", "--var", "BENCH_IN_TREE=off"];

/// The stand-in for the sandbox, in the environment of the runner's service.
fn sandbox(world: &World) -> String {
    format!("SHAKEDOWN_SANDBOX={}", world.program("sandbox", "sandbox").display())
}

fn by_hand(world: &World, more: &[&str]) -> Ran {
    // A study that there is not costs its own job, and nothing else.
    let inputs = json!({"suite": "tiny", "subjects": "noop", "host": "bench", "study": "nobody"});
    let sandbox = sandbox(world);
    let more = [&NO_UPSTREAM[..], more, &["--env", &sandbox]].concat();
    world.act("workflow_dispatch", "nightly", &json!({"inputs": inputs}), &more)
}

#[test]
#[ignore = "needs act: scripts/test calls it"]
fn a_night_becomes_history_site_and_issues_and_an_unfit_host_is_told_loudly() {
    let world = World::new();
    study(&world);
    let first = by_schedule(&world);
    unfit(&world);
    suspects(&world, &first);
}

/// In place of the studies of the catalog, which would build whole libraries.
fn study(world: &World) {
    let studies = world.at("repo/bench/catalog/studies");
    fs::remove_dir_all(&studies).unwrap();
    fs::create_dir(&studies).unwrap();
    fs::write(studies.join("nothing.toml"), include_str!("study.toml")).unwrap();
    world.commit("study");
}

fn by_schedule(world: &World) -> RunRecord {
    let sandbox = sandbox(world);
    let mut arguments = [&LAX[..], &NO_UPSTREAM, &["--env", &sandbox]].concat();
    let variables =
        ["BENCH_NIGHTLY_SUITE=tiny", "BENCH_SUBJECTS=noop", "BENCH_CHART=on", "BENCH_PAGES=on"];
    arguments.extend(variables.iter().flat_map(|variable| ["--var", *variable]));
    let night = |more: &[&str]| {
        let payload = json!({"schedule": "17 1 * * *"});
        world.act("schedule", "nightly", &payload, &[&arguments, more].concat())
    };
    let ran = night(&[]);
    assert!(ran.success, "{}", ran.printed());
    let record = fs::read_to_string(world.at("artifacts/night-bench-1/run/record.json")).unwrap();
    let record = RunRecord::from_json(&record).unwrap();
    assert_eq!(record.plan.suite, "tiny");
    let calls = fs::read_to_string(world.at("sandbox.log")).unwrap();
    assert_eq!(calls, "fetch\nbuild\n".repeat(2), "night and study were built in the sandbox");
    let verdicts =
        fs::read_to_string(world.at("artifacts/study-1/measured/verdicts.json")).unwrap();
    let verdicts: Value = serde_json::from_str(&verdicts).unwrap();
    assert_eq!(
        (&verdicts["mode"], &verdicts["claims"][0]["verdict"]),
        (&json!("full"), &json!("confirmed"))
    );
    let claims = fs::read_to_string(world.at("artifacts/github-pages-1/data/claims.js")).unwrap();
    assert!(claims.contains("The server sends something"), "{claims}");
    assert!(world.at("artifacts/github-pages-1/index.html").exists());
    assert!(world.at("artifacts/numbers/bigger.json").exists());
    assert!(ran.began("chart"), "{}", ran.printed());
    assert!(world.forge().join("refs/heads/chart").exists(), "the chart's branch is made");
    assert!(world.forge().join("refs/heads/history").exists(), "the night is on branch history");
    assert_eq!(world.requests(|method| method != "GET"), [""; 0], "nothing to tell");
    // Run again, beside the artifacts of the first attempt.
    let again = night(&["--env", "GITHUB_RUN_ATTEMPT=2"]);
    assert!(again.success, "{}", again.printed());
    assert_eq!(again.step("pages", "Deploy"), Some("success"), "{}", again.printed());
    for name in ["night-bench-1", "night-bench-2", "github-pages-1", "github-pages-2"] {
        assert!(world.at("artifacts").join(name).exists(), "{name}");
    }
    record
}

/// This machine is not tuned: without leave to measure all the same, it is not measured.
fn unfit(world: &World) {
    fs::remove_dir_all(world.at("artifacts")).unwrap();
    let ran = by_hand(world, &LAX[..2]);
    assert!(ran.success, "an unfit host is no red night: {}", ran.printed());
    assert_eq!(ran.step("measure", "Measure"), None);
    assert!(!world.at("artifacts/night-bench-1/run").exists());
    assert_eq!(world.requests(|method| method != "GET"), ["POST /repos/o/shakedown/issues"]);
    let state = world.fake.state();
    let issue = state.issues.values().next().unwrap();
    assert!(issue["title"].as_str().unwrap().contains("bench is not fit to measure"), "{issue}");
}

/// Of two changes in the history one is confirmed already, and gets its issue; the other is
/// measured again tonight, and dismissed, as the code is the same.
fn suspects(world: &World, first: &RunRecord) {
    let [confirmed, open] = past(world, first);
    let _ = fs::remove_dir_all(world.at("artifacts"));
    let ran = by_hand(world, &LAX);
    assert!(!ran.success, "no study has this name: {}", ran.printed());
    assert_eq!(ran.step("study", "Measure published claims again"), Some("failure"));
    assert_eq!(ran.step("conclude", "Hand the site over"), Some("success"), "{}", ran.printed());
    assert_eq!(ran.step("confirm", "Measure the suspect again"), Some("success"));
    let again = ran.step("backfill", "Measure again what a driver did not fit");
    assert_eq!(again, Some("success"), "{}", ran.printed());

    // Both attempts of the first night, this one, each with its study, and at the same time the suspect and
    // what was missed.
    let calls = fs::read_to_string(world.at("sandbox.log")).unwrap();
    assert_eq!(calls.matches("build").count(), 8, "{calls}");

    let history = world.at("after");
    let (forge, to) = (world.forge(), history.display().to_string());
    world.git(&["clone", "-q", "--branch", "history", forge.to_str().unwrap(), &to]);
    let all = changes(world, &history, &["--all"]);
    let state = |id: &str| all.iter().find(|one| one["id"] == id).unwrap()["state"].clone();
    assert_eq!(state(&confirmed), "confirmed");
    assert_eq!(state(&open), "dismissed");

    let done = shakedown(world, &history).args(["owed", "--json"]).assert().success();
    let owed: Vec<Value> = serde_json::from_slice(&done.get_output().stdout).unwrap();
    let [owed] = &owed[..] else { panic!("what was measured again is not owed: {owed:?}") };
    assert_eq!(owed["subject"], "rustls@git:HEAD");

    let state = world.fake.state();
    let closed = issues("closed", &state);
    assert_eq!(closed.len(), 1, "the host measured again");
    assert!(closed[0]["title"].as_str().unwrap().contains("not fit"), "{closed:?}");
    let labelled = |label: &str| -> Vec<&Value> {
        let open = issues("open", &state).into_iter();
        open.filter(|issue| issue["labels"] == json!([label])).collect()
    };
    let [broken] = labelled("driver")[..] else { panic!("{:?}", state.issues) };
    let title = broken["title"].as_str().unwrap();
    assert_eq!(title, "The driver does not fit rustls@git:HEAD: surface `io`");
    let [issue] = labelled("performance")[..] else { panic!("{:?}", state.issues) };
    let body = issue["body"].as_str().unwrap();
    assert!(body.contains("wire") && body.contains("server"), "{body}");
}

fn issues<'a>(wanted: &str, state: &'a FakeState) -> Vec<&'a Value> {
    state.issues.values().filter(|issue| issue["state"] == wanted).collect()
}

/// Two weeks and more of nights on this host that sent what the first one sent; but the
/// server's bytes double in the tenth night, which was confirmed, and the client's later. Gives
/// the ids of both suspects.
fn past(world: &World, first: &RunRecord) -> [String; 2] {
    let history = world.at("before");
    let mut add = shakedown(world, &history);
    add.arg("add");
    for number in 0..NIGHTS {
        let mut night = first.clone();
        night.id = format!("night-{number}");
        night.started_ms = first.started_ms - (NIGHTS - number) * DAY;
        for trial in night.trials.iter_mut().filter(|trial| trial.meter == Meter::Heap) {
            let TrialOutcome::Measured(measured) = &mut trial.outcome else { continue };
            let Some(wire) = &mut measured.wire else { continue };
            wire.server.bytes *= if number < 9 { 1 } else { 2 };
            wire.client.bytes *= if number < 14 { 1 } else { 2 };
        }
        let path = world.at(&format!("night-{number}.json"));
        fs::write(&path, serde_json::to_string(&night).unwrap()).unwrap();
        add.arg(path);
    }
    for (number, night) in missed(first).into_iter().enumerate() {
        let path = world.at(&format!("missed-{number}.json"));
        fs::write(&path, serde_json::to_string(&night).unwrap()).unwrap();
        add.arg(path);
    }
    add.assert().success();
    let found = changes(world, &history, &[]);
    let id = |side: &str| {
        let one = found.iter().find(|one| one["series"]["side"] == side);
        one.unwrap_or_else(|| panic!("no suspect of {side}: {found:?}"))["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (confirmed, open) = (id("server"), id("client"));
    let decide = ["decide", &confirmed, "confirmed", "--evidence", "a test"];
    shakedown(world, &history).args(decide).assert().success();
    let forge = world.forge();
    world.git(&["-C", forge.to_str().unwrap(), "update-ref", "-d", "refs/heads/history"]);
    let remote = format!("file://{}", forge.display());
    shakedown(world, &history).args(["sync", "--remote", &remote]).assert().success();
    [confirmed, open]
}

/// Two nights that a driver did not fit: one of the stack that does nothing, which later nights
/// measured again, and one of a subject that it still does not fit.
fn missed(first: &RunRecord) -> [RunRecord; 2] {
    let entry = &first.subjects[0];
    let head: Subject = "rustls@git:HEAD".parse().unwrap();
    let commit = "0123456789abcdef0123456789abcdef01234567";
    let found = [
        (entry.asked.clone(), entry.artifact.subject.clone(), None),
        (head, format!("rustls@git:{commit}").parse().unwrap(), Some(commit.to_owned())),
    ];
    let night = |(number, (subject, resolved, revision)): (usize, _)| {
        let mut night = first.clone();
        night.id = format!("missed-{number}");
        night.started_ms = first.started_ms - (NIGHTS - 3) * DAY + number as u64;
        (night.subjects, night.trials) = (Vec::new(), Vec::new());
        night.plan.suite = "smoke".to_owned();
        night.plan.scenarios = vec![FULL.parse().unwrap()];
        let misfit = Misfit::Surface("io".to_owned());
        let error = "error[E0599]: no method".to_owned();
        night.plan.left_out = vec![Incompatible { subject, resolved, revision, misfit, error }];
        night
    };
    let mut nights = found.into_iter().enumerate().map(night);
    std::array::from_fn(|_| nights.next().unwrap())
}

/// `shakedown history` on a folder.
fn shakedown(world: &World, history: &Path) -> Command {
    let mut command = Command::cargo_bin("shakedown").unwrap();
    command.current_dir(env!("CARGO_MANIFEST_DIR")).env("SHAKEDOWN_HISTORY", history);
    for name in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{name}_NAME"), "t").env(format!("GIT_{name}_EMAIL"), "t@t");
    }
    command.env("SHAKEDOWN_LOCK", world.at("lock")).arg("history");
    command
}

/// Suspects of the one scenario's bytes.
fn changes(world: &World, history: &Path, more: &[&str]) -> Vec<Value> {
    let done = shakedown(world, history).args(["changes", "--json"]).args(more).assert().success();
    let all: Vec<Value> = serde_json::from_slice(&done.get_output().stdout).unwrap();
    let ours =
        |one: &Value| one["series"]["metric"] == "wire-bytes" && one["series"]["scenario"] == FULL;
    all.into_iter().filter(ours).collect()
}
