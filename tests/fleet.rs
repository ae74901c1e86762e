//! `shakedown fleet`: the table of the hosts, and what it says of hosts that do not agree.

mod common;

use common::nights::{DAY, History, START, argument, run};
use serde_json::{Value, json};
use shakedown_forge::fake::FakeForge;
use shakedown_protocol::{RunRecord, Trial, TrialOutcome};
use std::{fs, path::PathBuf};

/// A night of a host.
fn night(number: u64, host: &str, fit: bool) -> RunRecord {
    let mut night = run().clone();
    night.id = format!("{host}-{number}");
    night.started_ms = START + number * DAY;
    night.host.name = host.to_owned();
    night.host.fit = fit;
    night.host.epoch.id = format!("{host}0123456789abcdef").replace('-', "")[..16].to_owned();
    night
}

fn runner(name: &str, status: &str, busy: bool) -> Value {
    let labels = ["self-hosted", "bench", name].map(|label| json!({ "name": label }));
    json!({ "name": name, "status": status, "busy": busy, "labels": labels, "version": "2.400.0" })
}

/// A repository with two runners, and three jobs that wait.
fn github() -> FakeForge {
    let github = FakeForge::start();
    let put = |path: &str, value: Value| {
        github.state().fixtures.insert(format!("/repos/{path}"), value);
    };
    put("tls/rustls", json!({ "default_branch": "main", "owner": { "type": "User" } }));
    let runners = [runner("bench-1", "online", true), runner("new", "offline", false)];
    put("tls/rustls/actions/runners", json!({ "runners": runners }));
    put("tls/rustls/actions/runs", json!({ "workflow_runs": [{ "id": 7 }] }));
    let job = |status: &str, labels: &[&str]| json!({ "id": 1, "name": "m", "status": status, "labels": labels });
    let jobs = [
        job("queued", &["self-hosted", "bench"]),
        job("queued", &["self-hosted", "bench-1"]),
        job("queued", &["ubuntu-latest"]),
        job("in_progress", &["self-hosted", "bench"]),
    ];
    put("tls/rustls/actions/runs/7/jobs", json!({ "jobs": jobs }));
    let at = jiff::Timestamp::now();
    let releases = json!([{ "tag_name": "v2.400.0", "published_at": at.to_string() }]);
    put("actions/runner/releases", releases);
    github
}

#[test]
fn every_host_is_shown_with_its_runner_and_its_queue() {
    let github = github();
    let token = vec![("GITHUB_TOKEN", PathBuf::from("ghs_0123456789"))];
    let history = History::new().with_environment(token);
    history.add((0..3).map(|n| night(n, "bench-1", true)));
    history.add((0..3).map(|n| night(n, "bench-2", n != 2)));
    let text = history.text(&["fleet"]);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    assert!(text.contains("NOT FIT") && !text.contains("queue"), "{text}");
    assert!(text.contains("bench-2: 1 of 3 runs in 28 days on the unfit host"), "{text}");

    let url = github.url();
    let ask = ["fleet", "--repo", "tls/rustls", "--api-url", &url, "--releases-api", &url];
    let text = history.text(&ask);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    let found = history.json(&ask);
    let of = |name: &str| {
        let hosts = found["hosts"].as_array().unwrap();
        hosts.iter().find(|host| host["host"] == name).unwrap().clone()
    };
    // One that waits for the pool, and one for this host alone; a job that works does not wait.
    assert_eq!(of("bench-1")["runner"]["waiting"], 2);
    assert_eq!(of("bench-1")["runner"]["busy"], true);
    assert_eq!(of("bench-1")["history"]["fit"], true);
    assert_eq!(of("bench-2")["history"]["unfit"], 1);
    assert!(of("bench-2")["runner"].is_null(), "it has none");
    assert!(of("new")["history"].is_null() && of("new")["runner"]["waiting"] == 1);
}

/// The run as another host would have measured it, with a second subject: `factor` times as fast.
fn measured_on(host: &str, factor: f64) -> RunRecord {
    let mut record = night(0, host, true);
    let mut second = record.subjects[0].clone();
    second.name += "#2";
    let trials = std::mem::take(&mut record.trials);
    let name = second.name.clone();
    record.subjects.push(second);
    for block in 0..6 {
        for (position, subject) in
            [record.subjects[0].name.clone(), name.clone()].into_iter().enumerate()
        {
            let of = trials.iter().filter(|trial| trial.meter == shakedown_protocol::Meter::Time);
            record.trials.extend(of.take(1).cloned().map(|trial| {
                let (block, position) = (block, position as u32);
                slowed(Trial { block, position, subject: subject.clone(), ..trial }, factor)
            }));
        }
    }
    record.plan.blocks = 6;
    record.plan.meters = vec![shakedown_protocol::Meter::Time];
    record
}

/// The trial with other times; a little of that differs from block to block.
fn slowed(mut trial: Trial, factor: f64) -> Trial {
    let wobble = 1.0 + 0.001 * f64::from(trial.block % 3);
    if let TrialOutcome::Measured(measured) = &mut trial.outcome {
        for sample in measured.sides.iter_mut().flat_map(|side| &mut side.samples) {
            sample.operations = 1_000_000;
            sample.nanoseconds = (1e9 * wobble / factor) as u64;
        }
    }
    trial
}

#[test]
fn a_host_that_is_slower_than_its_class_is_named() {
    let history = History::new();
    let put = |host: &str, factor: f64| {
        let path = history.at(&format!("{host}.json"));
        fs::write(&path, serde_json::to_string(&measured_on(host, factor)).unwrap()).unwrap();
        argument(&path).to_owned()
    };
    let [one, two, slow] = [put("bench-1", 1.0), put("bench-2", 1.001), put("bench-3", 0.97)];
    history.call(&["fleet", "cross-check", &one, &two]).code(0);
    let output = history.call(&["fleet", "cross-check", &one, &two, &slow]).code(4);
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let lines: Vec<&str> = text.lines().filter(|line| line.ends_with("OUTLIER")).collect();
    assert!(lines.len() == 1 && lines[0].trim_start().starts_with("bench-3"), "{text}");
    let found = history.json_and_exit(&["fleet", "cross-check", &one, &two, &slow], 4);
    let factor = found["classes"][0]["hosts"][2]["factors"][0]["factor"].as_f64().unwrap();
    assert!((factor - 0.97).abs() < 0.002, "{factor}");
    history.call(&["fleet", "cross-check", &one, &one]).code(2);
}

/// What the workflow does with the records: an issue for the host that is out, closed when it agrees.
#[test]
fn a_host_that_is_out_gets_an_issue_until_it_agrees() {
    let github = FakeForge::start();
    let folder = tempfile::tempdir().unwrap();
    let put = |host: &str, factor: f64| {
        let run = folder.path().join(format!("hosts/cross-check-{host}-1/run"));
        fs::create_dir_all(&run).unwrap();
        let mut record = measured_on(host, factor);
        // It begins a line, and would end the block of code around it.
        record.host.cpu.model = "``` @org/team".to_owned();
        fs::write(run.join("record.json"), serde_json::to_string(&record).unwrap()).unwrap();
    };
    let compare = || {
        let tool = assert_cmd::cargo::cargo_bin("shakedown");
        let path =
            format!("{}:{}", tool.parent().unwrap().display(), std::env::var("PATH").unwrap());
        let mut script =
            std::process::Command::new(common::root().join("scripts/workflow/cross-check"));
        script.arg("compare").current_dir(folder.path()).env("PATH", path);
        script.envs([("GITHUB_REPOSITORY", "tls/lib"), ("GITHUB_TOKEN", "ghs_0123456789")]);
        script.env("GITHUB_API_URL", github.url()).env("GITHUB_SERVER_URL", "https://github.com");
        for name in ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"] {
            script.env(name, folder.path().join(name));
        }
        let output = script.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let state = github.state();
        let open = state.issues.values().filter(|issue| issue["state"] == "open");
        open.map(|issue| issue["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    put("bench-1", 1.0);
    assert_eq!(compare(), [""; 0], "one host is nothing to compare");
    put("bench-2", 1.0005);
    put("bench-3", 0.97);
    assert_eq!(compare(), ["bench-3 does not agree with the other hosts"]);
    assert_eq!(compare().len(), 1, "not a second issue");
    let summary = fs::read_to_string(folder.path().join("GITHUB_STEP_SUMMARY")).unwrap();
    assert!(summary.contains("OUTLIER"), "{summary}");
    put("bench-3", 0.9995);
    assert_eq!(compare(), [""; 0]);
    // What a record names is text, also where it begins a line.
    put("@org/team `x`", 0.97);
    assert_eq!(compare(), ["_org_team__x_ does not agree with the other hosts"]);
    let issue = github.state().issues.values().next_back().unwrap()["body"].to_string();
    assert_eq!(issue.matches("```").count(), 2, "{issue}");
}
