//! `shakedown github` and `shakedown signoff` as a workflow meets them.

mod common;

use assert_cmd::Command;
use common::{nights::History, shakedown};
use predicates::prelude::*;
use serde_json::json;
use shakedown_forge::fake::{FakeForge, LOGIN};
use shakedown_protocol::fixture::comparison::comparison;
use std::{
    fs,
    io::{Read, Write},
    path::Path,
};
use zip::{ZipWriter, write::SimpleFileOptions};

const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
const SHA: &str = "6bf3a0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f708";

/// The command, as in a job of a workflow.
fn github(folder: &Path, fake: &FakeForge) -> Command {
    let mut command = shakedown(folder);
    command
        .env("GITHUB_API_URL", fake.url())
        .env("GITHUB_SERVER_URL", "https://github.com")
        .env("GITHUB_REPOSITORY", "tls/lib")
        .env("GITHUB_TOKEN", "ghs_0123456789")
        .env_remove("GITHUB_RUN_ID")
        .env_remove("GITHUB_STEP_SUMMARY")
        .env_remove("GITHUB_OUTPUT")
        .arg("github");
    command
}

fn record(folder: &Path, factor: f64) {
    let record = comparison(&[(FULL, [1.0, factor])]);
    fs::write(folder.join("record.json"), serde_json::to_string(&record).unwrap()).unwrap();
}

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
    assert!(body.contains("### ❌ 1 regressed, 1 unchanged"), "{body}");
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
    assert!(body.contains("Nothing can be said") && body.contains("not sensible JSON"), "{body}");
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

#[test]
fn a_dry_run_prints_the_request_and_never_the_token() {
    let folder = tempfile::tempdir().unwrap();
    let fake = FakeForge::start();
    record(folder.path(), 0.93);
    let said = github(folder.path(), &fake)
        .args(["comment", "--dry-run", "--pr", "12", "--sha", SHA])
        .arg(folder.path())
        .assert()
        .success();
    let text = String::from_utf8(said.get_output().stdout.clone()).unwrap();
    assert!(
        text.contains("POST http://127.0.0.1") && text.contains("/issues/12/comments"),
        "{text}"
    );
    assert!(text.contains("1 regressed") && !text.contains("ghs_"), "{text}");
    assert!(fake.state().requests.is_empty());
}

#[test]
fn the_token_comes_from_a_file_too_and_its_lack_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let fake = FakeForge::start();
    let token = folder.path().join("token");
    fs::write(&token, "ghs_abcd\n").unwrap();
    let pending = ["status", "--pending", "--sha", SHA];
    let without = |arguments: &[&str]| {
        let mut command = github(folder.path(), &fake);
        command.env_remove("GITHUB_TOKEN").args(pending).args(arguments);
        command.assert()
    };
    without(&[]).code(2).stderr(predicate::str::contains("GITHUB_TOKEN"));
    without(&["--token-file", token.to_str().unwrap()]).success();
    assert_eq!(fake.state().requests[0].2, "abcd");
    assert_eq!(fake.state().statuses[0].1["state"], "pending");
}

#[test]
fn outputs_are_handed_on_line_by_line() {
    let folder = tempfile::tempdir().unwrap();
    let fake = FakeForge::start();
    let pull = json!({
        "number": 12, "state": "open",
        "head": { "sha": SHA, "ref": "fix", "repo": { "full_name": "tls/lib" } },
        "base": { "sha": "00".repeat(20), "ref": "main", "repo": { "full_name": "tls/lib" } },
    });
    fake.state().fixtures.insert("/repos/tls/lib/pulls/12".to_owned(), pull.clone());
    let compared = format!("{}...{SHA}", "00".repeat(20));
    fake.state().merge_bases.insert(compared, ("11".repeat(20), 4));
    let ada = json!({ "permission": "write" });
    fake.state().fixtures.insert("/repos/tls/lib/collaborators/ada/permission".to_owned(), ada);
    let event = folder.path().join("event.json");
    let output = folder.path().join("output");
    let labeled = json!({
        "action": "labeled", "label": { "name": "bench" }, "pull_request": pull,
        "sender": { "login": "ada" },
    });
    fs::write(&event, labeled.to_string()).unwrap();
    for (verb, line) in [("pull-request", "found=true"), ("authorize", "allowed=true")] {
        let _ = fs::remove_file(&output);
        github(folder.path(), &fake)
            .arg(verb)
            .env("GITHUB_EVENT_PATH", &event)
            .env("GITHUB_EVENT_NAME", "pull_request")
            .env("GITHUB_OUTPUT", &output)
            .assert()
            .success();
        let text = fs::read_to_string(&output).unwrap();
        let commits = [format!("head_sha={SHA}"), format!("base_sha={}", "11".repeat(20))];
        for wanted in [line, "number=12", "fork=false", "behind_by=4", &commits[0], &commits[1]] {
            assert!(text.lines().any(|line| line == wanted), "{wanted} in\n{text}");
        }
    }
}

#[test]
fn an_issue_is_opened_once_and_closed() {
    let folder = tempfile::tempdir().unwrap();
    let fake = FakeForge::start();
    let body = folder.path().join("body.md");
    fs::File::create(&body).unwrap().write_all(b"turbo is on\n").unwrap();
    let mut said = Vec::new();
    for arguments in [
        vec!["open", "--title", "bench-1 is not fit", "--body", body.to_str().unwrap()],
        vec!["open", "--title", "bench-1 is not fit", "--body", body.to_str().unwrap()],
        vec!["close"],
        vec!["close"],
    ] {
        let done = github(folder.path(), &fake)
            .arg("issue")
            .args(arguments)
            .args(["--key", "unfit:bench-1"])
            .assert()
            .success();
        said.push(String::from_utf8(done.get_output().stdout.clone()).unwrap());
    }
    assert_eq!(said, ["opened #1\n", "#1 is up to date\n", "closed #1\n", ""]);
}

#[test]
fn a_signoff_names_what_stands_against_it_and_its_folder_checks_itself() {
    let folder = tempfile::tempdir().unwrap();
    record(folder.path(), 0.93);
    let out = folder.path().join("signoff");
    let signoff = |out: &Path| {
        let mut command = shakedown(folder.path());
        command
            .args(["signoff", "--candidate", shakedown_protocol::fixture::comparison::HEAD])
            .args(["--baseline", shakedown_protocol::fixture::comparison::BASE])
            .arg("--record")
            .arg(folder.path())
            .arg("--history")
            .arg(folder.path().join("no-history"))
            .arg("--out")
            .arg(out);
        command
    };
    let said = signoff(&out).assert().code(1);
    said.stdout(
        predicate::str::contains("regressed: handshake-full/tls1.3")
            .and(predicate::str::contains("evidence: there is no history")),
    );
    Command::new("sha256sum")
        .args(["--check", "--strict", "SHA256SUMS"])
        .current_dir(&out)
        .assert()
        .success();
    signoff(&out).assert().code(2).stderr(predicate::str::contains("not empty"));
    record(folder.path(), 1.0);
    let out = folder.path().join("second");
    signoff(&out).assert().code(5).stdout(predicate::str::contains("evidence:"));
}

#[test]
fn a_confirmed_change_of_the_history_is_one_issue_until_it_is_gone() {
    let history = History::with_a_change();
    let fake = FakeForge::start();
    let folder = tempfile::tempdir().unwrap();
    let issues = || {
        let done = github(folder.path(), &fake)
            .args(["issue", "changes", "--label", "performance", "--history"])
            .arg(history.dir())
            .assert()
            .success();
        String::from_utf8(done.get_output().stdout.clone()).unwrap()
    };
    let found = history.json(&["history", "changes"]);
    assert_eq!(issues(), "", "a suspect is no finding yet");
    let decide = |state: &str| {
        for one in found.as_array().unwrap() {
            let id = one["id"].as_str().unwrap();
            history.call(&["history", "decide", id, state, "--evidence", "a test"]).success();
        }
    };
    decide("confirmed");
    assert_eq!(issues(), "opened #1\n");
    assert_eq!(issues(), "#1 is up to date\n");
    {
        let state = fake.state();
        let body = state.issues[&1]["body"].as_str().unwrap();
        assert!(body.contains("noop") && body.contains("wire"), "{body}");
    }
    decide("dismissed");
    assert_eq!(issues(), "closed #1\n");
    assert_eq!(fake.state().issues[&1]["state"], "closed");
}

#[test]
fn a_driver_that_does_not_fit_is_one_issue_until_it_fits_again() {
    let fake = FakeForge::start();
    let history = History::new();
    let commit = |night: u64| format!("{night:040x}");
    let night = |night: u64, fits: bool| {
        let mut record = comparison(&[(FULL, [1.0, 1.0])]);
        record.id = format!("night-{night}");
        record.started_ms += night * 86_400_000;
        let resolved: shakedown_protocol::Subject =
            format!("rustls@git:{}", commit(night)).parse().unwrap();
        let head = "rustls@git:HEAD".parse().unwrap();
        if fits {
            let entry = &mut record.subjects[0];
            (entry.asked, entry.artifact.subject) = (head, resolved);
            let name = std::mem::replace(&mut entry.name, entry.artifact.subject.to_string());
            let named = entry.name.clone();
            let of = record.trials.iter_mut().filter(|trial| trial.subject == name);
            of.for_each(|trial| trial.subject.clone_from(&named));
            return record;
        }
        record.plan.left_out = vec![shakedown_protocol::Incompatible {
            subject: head,
            resolved,
            revision: Some(commit(night)),
            misfit: shakedown_protocol::Misfit::Surface("io".to_owned()),
            error: "error[E0599]: no method named `read_tls`".to_owned(),
        }];
        record
    };
    let issues = || {
        let said = github(&history.at(""), &fake)
            .args(["issue", "drivers", "--label", "driver", "--history"])
            .arg(history.dir())
            .assert()
            .success();
        String::from_utf8(said.get_output().stdout.clone()).unwrap()
    };
    history.add([night(0, true)]);
    assert_eq!(issues(), "");
    history.add([night(1, false)]);
    assert_eq!(issues(), "opened #1\n");
    history.add([night(2, false)]);
    assert_eq!(issues(), "#1 is up to date\n", "the same break is told once");
    {
        let state = fake.state();
        let issue = &state.issues[&1];
        let title = issue["title"].as_str().unwrap();
        assert_eq!(title, "The driver does not fit rustls@git:HEAD: surface `io`");
        let body = issue["body"].as_str().unwrap();
        assert!(body.contains(&commit(1)[..10]) && body.contains("E0599"), "{body}");
        assert_eq!(issue["labels"], json!(["driver"]));
    }
    history.add([night(3, true)]);
    assert_eq!(issues(), "closed #1\n");
    assert_eq!(issues(), "");
    history.add([night(4, false)]);
    assert!(issues().starts_with("opened #"), "another break is another issue");
}
