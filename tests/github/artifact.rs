//! From the artifact of a run to comment, check and summary.

use crate::{FULL, SHA, common::shakedown, github};
use assert_cmd::Command;
use predicates::prelude::*;
use serde_json::json;
use shakedown_culprits::record_sha256;
use shakedown_forge::fake::{FakeForge, LOGIN};
use shakedown_protocol::fixture::comparison::comparison;
use std::{
    fs,
    io::{Read, Write},
    path::Path,
};
use zip::{ZipWriter, write::SimpleFileOptions};

fn zip(path: &Path, bytes: impl Read) {
    let mut bytes = bytes;
    let mut zip = ZipWriter::new(fs::File::create(path).unwrap());
    zip.start_file("record.json", SimpleFileOptions::default()).unwrap();
    std::io::copy(&mut bytes, &mut zip).unwrap();
    zip.finish().unwrap();
}

#[test]
fn an_artifact_becomes_a_comment_a_check_and_a_summary() {
    let folder = tempfile::tempdir().unwrap();
    let fake = FakeForge::start();
    // What a stranger's job hands over: with a verdict of its own.
    let mut forged = serde_json::to_value(comparison(&[(FULL, [1.0, 0.93])])).unwrap();
    forged["verdict"] = json!({ "consequence": "none", "headline": "all is well" });
    forged["pull_request"] = 666.into();
    let file = folder.path().join("blob.zip");
    zip(&file, forged.to_string().as_bytes());
    {
        let mut state = fake.state();
        state.files.insert("/blob".to_owned(), fs::read(&file).unwrap());
        let to = format!("{}/blob", fake.url());
        state.moved.insert("/repos/tls/lib/actions/artifacts/3/zip".to_owned(), to);
        let list = json!({ "artifacts": [{ "id": 3, "name": "record" }] });
        state.fixtures.insert("/repos/tls/lib/actions/runs/7001/artifacts".to_owned(), list);
    }
    let taken = folder.path().join("in");
    let run = ["--run", "7001"];
    let told = ["--pr", "12", "--sha", SHA];
    github(folder.path(), &fake)
        .arg("intake")
        .args(run)
        .arg("--out")
        .arg(&taken)
        .assert()
        .success();
    assert_eq!(fs::read_dir(&taken).unwrap().count(), 1, "nothing but the record is left");
    let again =
        github(folder.path(), &fake).arg("intake").args(run).arg("--out").arg(&taken).assert();
    again.code(2).stderr(predicate::str::contains("another folder"));

    for _ in 0..2 {
        let said =
            github(folder.path(), &fake).arg("comment").arg(&taken).args(told).args(run).assert();
        said.success();
    }
    github(folder.path(), &fake)
        .args(["check", "--sha", SHA])
        .arg(&taken)
        .args(run)
        .assert()
        .success();
    let summary = folder.path().join("summary.md");
    fs::write(&summary, "before\n").unwrap();
    github(folder.path(), &fake)
        .arg("summary")
        .arg(&taken)
        .env("GITHUB_STEP_SUMMARY", &summary)
        .args(["--sha", SHA])
        .args(run)
        .assert()
        .success();

    let state = fake.state();
    let comments: Vec<_> = state.comments.values().collect();
    let [(12, login, body)] = comments.as_slice() else { panic!("{comments:?}") };
    assert_eq!(login, LOGIN);
    assert!(body.contains("### ❌ Failed: 1 regressed, 1 unchanged"), "{body}");
    assert!(body.contains("actions/runs/7001") && !body.contains("all is well"), "{body}");
    assert_eq!(state.checks[&2]["conclusion"], "failure");
    assert_eq!(state.checks[&2]["head_sha"], SHA);
    let summary = fs::read_to_string(summary).unwrap();
    assert!(summary.starts_with("before\n") && summary.contains("1 regressed"), "{summary}");
    drop(state);
    // Judged once, for everything that follows. A judgement is believed where it is named only.
    let judgement = folder.path().join("judgement.json");
    let judged =
        shakedown(folder.path()).arg("gate").arg(&taken).arg("-o").arg(&judgement).assert();
    judged.code(1);
    let text = fs::read_to_string(&judgement).unwrap();
    let mut forged: serde_json::Value = serde_json::from_str(&text).unwrap();
    forged["counts"] = json!({ "regressed": 0, "accepted": 0, "improved": 0, "unchanged": 9,
        "inconclusive": 0, "missing": 0, "broken": 0 });
    fs::write(taken.join("judgement.json"), forged.to_string()).unwrap();
    let summary = |more: &[&std::ffi::OsStr]| {
        let mut command = github(folder.path(), &fake);
        command.arg("summary").arg(&taken).args(more).assert()
    };
    let one = predicate::str::contains("1 regressed, 1 unchanged");
    summary(&[]).success().stdout(one.clone());
    let named = ["--judgement".as_ref(), judgement.as_os_str()];
    summary(&named).success().stdout(one);
    let other = taken.join("record.json");
    summary(&["--judgement".as_ref(), other.as_os_str()]).code(2);
}

#[test]
fn the_comment_names_the_functions_that_the_artifact_explains() {
    let folder = tempfile::tempdir().unwrap();
    let fake = FakeForge::start();
    let record = comparison(&[(FULL, [1.0, 0.93])]);
    let text = serde_json::to_vec(&record).unwrap();
    let name = "<script>@team::update";
    let mut found = json!({
        "run": record.id, "record_sha256": record_sha256(&text),
        "base": record.subjects[0].name, "head": record.subjects[1].name,
        "sides": [{"scenario": FULL, "side": "client", "metrics": ["instructions"], "explanation": {
            "total": [1e6, 1.07e6], "remainder": 0.0, "events": [], "culprits": [{
                "function": name, "change": 7e4, "share": 1.0, "own": [9.0, 9.0],
                "inclusive": [9.0, 9.0], "entries": [1.0, 1.0]
            }]
        }}],
        "allocations": [], "causes": [], "stacks": {"main;update": [10.0, 20.0]},
    });
    let told = |found: &serde_json::Value, name: &str| {
        let (file, taken) = (folder.path().join("blob.zip"), folder.path().join(name));
        let mut zip = ZipWriter::new(fs::File::create(&file).unwrap());
        for (name, bytes) in
            [("record.json", &text), ("explanation.json", &found.to_string().into())]
        {
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap();
        let said = github(folder.path(), &fake)
            .arg("intake")
            .arg(&file)
            .arg("--out")
            .arg(&taken)
            .assert()
            .success();
        let said = String::from_utf8(said.get_output().stderr.clone()).unwrap();
        let summary = github(folder.path(), &fake).arg("summary").arg(&taken).assert().success();
        let text = String::from_utf8(summary.get_output().stdout.clone()).unwrap();
        (text, said, taken)
    };
    let (text, _, taken) = told(&found, "in");
    assert!(text.contains("#### Why") && text.contains("+70,000 instructions/op"), "{text}");
    assert!(!text.contains("<script") && !text.contains("@team"), "{text}");
    assert!(taken.join("flame-graph.svg").exists());
    found["stacks"] = json!({"main;update": [10.0, 0.0]});
    let (text, said, taken) = told(&found, "undrawn");
    assert!(text.contains("#### Why") && said.contains("the flame graph can't be drawn"), "{said}");
    assert!(!taken.join("flame-graph.svg").exists());
    found["record_sha256"] = "0".repeat(64).into();
    let (text, said, taken) = told(&found, "other");
    assert!(text.contains("1 regressed") && !text.contains("#### Why"), "{text}");
    assert!(said.contains("another record"), "{said}");
    assert_eq!(fs::read_dir(&taken).unwrap().count(), 1);
}

#[test]
fn what_is_refused_is_told_in_place_of_a_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let fake = FakeForge::start();
    let file = folder.path().join("a.zip");
    zip(&file, "{\"schema\": 1, \"id\": \"<script>\"".as_bytes());
    let taken = folder.path().join("in");
    let said =
        github(folder.path(), &fake).arg("intake").arg(&file).arg("--out").arg(&taken).assert();
    said.code(2).stderr(predicate::str::contains("not sensible JSON"));
    github(folder.path(), &fake)
        .arg("comment")
        .arg(&taken)
        .args(["--pr", "12", "--sha", SHA])
        .assert()
        .success();
    github(folder.path(), &fake).args(["status", "--sha", SHA]).arg(&taken).assert().success();
    let state = fake.state();
    let body = &state.comments[&1].2;
    assert!(
        body.contains("There is no result for") && body.contains("not sensible JSON"),
        "{body}"
    );
    assert_eq!(state.statuses[0].1["state"], "error");
}

#[test]
fn two_gigabytes_of_nonsense_take_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let huge = folder.path().join("huge.zip");
    fs::File::create(&huge).unwrap().set_len(2 << 30).unwrap();
    let nonsense = folder.path().join("nonsense.zip");
    let text = format!("[{}0]", "[0,\"\"],".repeat(700_000));
    zip(&nonsense, text.as_bytes());
    for (file, said) in [(&huge, "2147483648 bytes"), (&nonsense, "")] {
        let out = folder.path().join(format!("{}-out", file.file_name().unwrap().display()));
        // 400 MiB of addresses are enough: nothing is read before it was counted.
        let limited = "ulimit -v 409600; exec \"$0\" github intake \"$1\" --out \"$2\"";
        Command::new("sh")
            .args(["-c", limited])
            .arg(assert_cmd::cargo::cargo_bin("shakedown"))
            .arg(file)
            .arg(&out)
            .assert()
            .code(2)
            .stderr(predicate::str::contains(said).and(predicate::str::contains("error:")));
        assert!(out.join("problem.txt").is_file());
    }
}
