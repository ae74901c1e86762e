//! `shakedown github` and `shakedown signoff` as a workflow meets them.

mod artifact;
#[path = "../common/mod.rs"]
mod common;
mod issue;

use assert_cmd::Command;
use common::shakedown;
use predicates::prelude::*;
use serde_json::json;
use shakedown_forge::fake::FakeForge;
use shakedown_protocol::fixture::comparison::comparison;
use std::{fs, path::Path};

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
