//! The history as its user meets it: what each subcommand prints, and what programs may rely
//! on in its JSON.

mod common;

use common::nights::{DAY, History, SCENARIO, START, argument, night, shape};
use serde_json::{Value, json};
use std::fs;

#[test]
fn every_answer_keeps_its_shape() {
    let history = History::with_a_change();
    let suspect = history.client_suspect();
    let name = history.json(&["history", "list"])[0]["name"].as_str().unwrap().to_owned();
    let noop = common::NOOP;
    for (what, arguments) in [
        ("list", vec!["list"]),
        ("show", vec!["show", &name]),
        ("trend", vec!["trend", SCENARIO, "--metric", "wire-bytes"]),
        ("best", vec!["best", SCENARIO]),
        ("compare", vec!["compare", noop, noop]),
        ("changes", vec!["changes"]),
        ("causes", vec!["causes"]),
        ("bisect-range", vec!["bisect-range", &suspect]),
        ("verify", vec!["verify"]),
    ] {
        let arguments: Vec<&str> = ["history"].into_iter().chain(arguments).collect();
        insta::assert_json_snapshot!(what, shape(&history.json(&arguments)));
    }
    let decide = ["history", "decide", &suspect, "dismissed", "--evidence", "known"];
    insta::assert_json_snapshot!("decide", shape(&history.json(&decide)));
}

#[test]
fn every_subcommand_takes_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let help = |arguments: &[&str]| {
        let help = common::shakedown(folder.path()).args(arguments).arg("--help").assert();
        String::from_utf8(help.success().get_output().stdout.clone()).unwrap()
    };
    let listed = help(&["history"]);
    let commands = listed.split("Commands:\n").nth(1).unwrap().lines();
    let verbs: Vec<&str> = commands
        .take_while(|line| !line.is_empty())
        .filter_map(|line| {
            line.strip_prefix("  ")?.split(' ').next().filter(|word| !word.is_empty())
        })
        .filter(|verb| *verb != "help")
        .collect();
    assert!(verbs.len() >= 16, "{listed}");
    for verb in verbs {
        let text = match verb {
            "plot" => help(&["history", "plot", "trend"]) + &help(&["history", "plot", "releases"]),
            verb => help(&["history", verb]),
        };
        assert!(text.contains("--history <DIR>"), "{verb}: {text}");
    }
}

#[test]
fn histories_of_two_hosts_meet_on_a_branch() {
    let (one, two) = (History::new(), History::new());
    let remote = one.at("remote.git");
    let init = std::process::Command::new("git")
        .args(["init", "--quiet", "--bare", argument(&remote)])
        .status();
    assert!(init.unwrap().success());
    one.add([night(0, 1)]);
    two.add([night(1, 1)]);
    let sync =
        |history: &History| history.json(&["history", "sync", "--remote", argument(&remote)]);
    assert_eq!(sync(&one), json!({"pulled": false, "pushed": true, "retries": 0}));
    assert_eq!(sync(&two), json!({"pulled": true, "pushed": true, "retries": 0}));
    assert_eq!(sync(&one), json!({"pulled": true, "pushed": false, "retries": 0}));
    for history in [&one, &two] {
        assert_eq!(history.json(&["history", "list"]).as_array().unwrap().len(), 2);
        assert_eq!(history.json(&["history", "verify"])["whole"], 2);
    }
    // Without a repository, the error names the option.
    let alone = History::new();
    alone.add([night(2, 1)]);
    let failed = alone.call(&["history", "sync"]).code(2);
    let said = String::from_utf8(failed.get_output().stderr.clone()).unwrap();
    assert!(said.contains("--remote"), "{said}");
}

#[test]
fn a_study_is_kept_with_its_runs_and_shown() {
    let history = History::new();
    let study = history.at("study");
    let mut judgement: Value =
        serde_json::from_str(include_str!("../report/src/study/fixture.json")).unwrap();
    judgement["subjects"][1]["run"] = json!("../elsewhere");
    judgement["subjects"][1]["built"] = json!(null);
    judgement["subjects"][2]["run"] = json!("versions");
    for run in ["study/versions", "elsewhere"] {
        fs::create_dir_all(history.at(run)).unwrap();
        let record = serde_json::to_string(&night(0, 1)).unwrap();
        fs::write(history.at(run).join("record.json"), record).unwrap();
    }
    fs::write(study.join("verdicts.json"), judgement.to_string()).unwrap();
    let said = history.text(&["history", "add", argument(&study)]);
    assert_eq!(said.lines().count(), 2, "the one run that was measured, and the verdicts: {said}");
    assert!(history.text(&["history", "add", argument(&study)]).contains("already stored"));
    let verified = history.text(&["history", "verify"]);
    assert_eq!(verified, "intact: 1 run, 0 decisions, 1 study; 0 problems\n");
    let site = history.at("site");
    history.text(&["site", argument(&site)]);
    let claims = fs::read_to_string(site.join("data/claims.js")).unwrap();
    assert!(claims.contains("New handshakes lose 13.3 %"), "{claims}");

    let refused = |judgement: &Value, reason: &str| {
        fs::write(study.join("verdicts.json"), judgement.to_string()).unwrap();
        let refused = history.call(&["history", "add", argument(&study)]).code(2);
        let said = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(said.contains(reason), "{said}");
    };
    let mut hostile = judgement.clone();
    hostile["subjects"][1]["built"] = json!("openssl@3.5.5");
    refused(&hostile, "has no run `../elsewhere`, which its verdicts name");
    judgement["started_ms"] = json!(null);
    refused(&judgement, "nothing of it was measured");
}

#[test]
fn runs_are_listed_newest_first_and_found_by_any_part_of_the_name() {
    let history = History::new();
    history.add([0, 2, 1].map(|number| night(number, 1)));
    let runs = history.json(&["history", "list"]);
    let started: Vec<u64> =
        runs.as_array().unwrap().iter().map(|run| run["started_ms"].as_u64().unwrap()).collect();
    assert_eq!(started, [2, 1, 0].map(|number| START + number * DAY));
    let since = history.json(&["history", "list", "--since", "2026-10-02", "--limit", "1"]);
    assert_eq!(since.as_array().unwrap().len(), 1);
    let name = runs[0]["name"].as_str().unwrap();
    let rows = history.json(&["history", "show", &name[..9]]);
    assert_eq!(rows, history.json(&["history", "show", name.rsplit('-').next().unwrap()]));
    history.call(&["history", "show", "2026"]).code(2);
    let record = history.text(&["history", "show", name, "--record"]);
    assert_eq!(serde_json::from_str::<Value>(&record).unwrap()["id"], json!("night-2"));
}

#[test]
fn best_ranks_by_what_is_better() {
    let history = History::new();
    let mut run = night(0, 1);
    let mut other = run.subjects[0].clone();
    // The same trials again, of a subject that sends three times as much.
    other.name = "noop@0.1.0".to_owned();
    other.asked = "noop@0.1.0".parse().unwrap();
    other.artifact.subject = other.asked.clone();
    run.subjects.push(other);
    for (at, mut trial) in night(0, 3).trials.into_iter().enumerate() {
        trial.subject = "noop@0.1.0".to_owned();
        trial.position = 100 + at as u32;
        run.trials.push(trial);
    }
    history.add([run]);
    let ask = ["history", "best", SCENARIO, "--side", "client", "--metric", "wire-bytes"];
    let ranked = history.json(&ask);
    let subjects: Vec<&str> =
        ranked.as_array().unwrap().iter().map(|t| t["subject"].as_str().unwrap()).collect();
    assert_eq!(subjects, [common::NOOP, "noop@0.1.0"], "fewer bytes are better");
    let medians = [0, 1].map(|at| ranked[at]["points"][0]["median"].as_f64().unwrap());
    assert_eq!(medians[1], medians[0] * 3.0);
    let words = history.call(&["history", "best", "handshake-ful/tls1.3"]).code(2);
    let words = String::from_utf8(words.get_output().stderr.clone()).unwrap();
    assert!(words.contains(SCENARIO), "the error suggests near names: {words}");
}

#[test]
fn unchanged_code_is_dismissed_with_the_run_as_evidence() {
    let history = History::with_a_change();
    let suspect = history.client_suspect();
    let out = history.at("again");
    let confirm = ["confirm", &suspect, "--out", argument(&out)];
    let decided = history.json(&confirm);
    assert_eq!(decided["state"], "dismissed", "{decided:#}");
    insta::assert_json_snapshot!("confirm", shape(&without_detail(decided.clone())));
    let run = decided["run"].as_str().unwrap();
    let newest = &history.json(&["history", "list"])[0];
    assert_eq!(newest["name"], run, "the evidence is in the history");
    let known = &history.json(&["history", "changes", "--all"])[0];
    let evidence = known["decisions"][1]["evidence"].as_str().unwrap();
    assert!(evidence.contains(run) && evidence.contains("is unchanged"), "{evidence}");
    assert!(fs::exists(out.join("report.html")).unwrap());
    // What is decided is not measured again.
    let again = history.json(&["confirm", &suspect]);
    assert_eq!((&again["state"], &again["run"]), (&json!("dismissed"), &Value::Null));
}

/// The gate's own numbers are another page's business.
fn without_detail(mut decided: Value) -> Value {
    let comparison = decided["comparison"].as_object_mut().expect("it was measured");
    comparison.retain(|name, _| ["verdict", "reason", "change"].contains(&name.as_str()));
    decided
}

#[test]
fn pictures_of_a_run_and_of_the_history() {
    let history = History::with_a_change();
    let mut two = night(20, 1);
    let mut other = two.subjects[0].clone();
    other.name = format!("{}#2", other.name);
    let more: Vec<_> = two.trials.iter().cloned().enumerate().collect();
    for (at, mut trial) in more {
        trial.subject.clone_from(&other.name);
        trial.position = 100 + at as u32;
        two.trials.push(trial);
    }
    two.subjects.push(other);
    let path = history.at("two.json");
    fs::write(&path, serde_json::to_string(&two).unwrap()).unwrap();
    let record = argument(&path);
    for plot in ["factors", "latency"] {
        let svg = history.text(&["report", record, "--format", "svg", "--plot", plot]);
        assert!(svg.contains("<svg") && svg.contains("run night-20"), "{plot}: {svg}");
    }
    let png = history.at("picture.png");
    let arguments = ["report", record, "--format", "png", "--out", argument(&png)];
    history.call(&arguments).success();
    assert!(fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    let trend = ["history", "plot", "trend", SCENARIO];
    let one = [&trend[..], &["--side", "client", "--metric", "wire-bytes"]].concat();
    history.text(&["history", "changes"]);
    let svg = history.text(&one);
    assert!(svg.contains("suspect +100 %") && svg.contains("wire-bytes [B/op]"), "{svg}");

    let stderr = |arguments: &[&str]| {
        let failed = history.call(arguments).code(2);
        String::from_utf8(failed.get_output().stderr.clone()).unwrap()
    };
    assert!(stderr(&trend).contains("--side server --metric handshakes"), "says what there is");
    let memory = stderr(&["report", record, "--format", "svg", "--plot", "memory"]);
    assert!(memory.contains("--suite memory"), "{memory}");
    let releases = ["history", "plot", "releases", SCENARIO, "--stack", "openssl"];
    let asked = [&releases[..], &["--side", "client", "--metric", "wire-bytes"]].concat();
    assert!(stderr(&asked).contains("no release of openssl"));
    // Without gnuplot: what to install.
    let mut command = common::shakedown(&history.at(""));
    let failed = command
        .env("PATH", history.at("nothing"))
        .args(["report", record, "--format", "svg"])
        .assert()
        .code(2);
    let said = String::from_utf8(failed.get_output().stderr.clone()).unwrap();
    assert!(said.contains("apt-get install gnuplot-nox"), "{said}");
}
