//! `shakedown adopt`: the files that it writes, and what it says of a repository's settings.

#[path = "../common/mod.rs"]
mod common;
mod hosts;

use common::shakedown;
use predicates::prelude::*;
use serde_json::{Value, json};
use shakedown_forge::fake::{FakeForge, InjectedFault};
use std::{fs, path::Path};

const REF: &str = "6bf3a0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f708";

fn adopt(folder: &Path, more: &[&str]) -> assert_cmd::assert::Assert {
    let mut command = shakedown(folder);
    command.args(["adopt", "tls/rustls", "--shakedown", "me/shakedown", "--shakedown-ref", REF]);
    command.arg("--into").arg(folder).args(more).env("GITHUB_TOKEN", "ghs_0123456789").assert()
}

#[test]
fn the_files_are_those_of_this_version_and_a_list_of_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    adopt(folder.path(), &["--stack", "rustls+ring"]).success();
    for name in ["pr-measure.yml", "pr-report.yml", "nightly.yml", "signoff.yml"] {
        let path = format!(".github/workflows/{name}");
        let [ours, theirs] = [common::root(), folder.path()]
            .map(|root| fs::read_to_string(root.join(&path)).unwrap());
        assert_eq!(ours, theirs, "{path}");
    }
    assert!(!folder.path().join(".github/workflows/merge-queue.yml").exists());
    let policy = folder.path().join(".github/bench.toml");
    shakedown(folder.path()).args(["policy", "--policy"]).arg(policy).assert().success();
    let list = fs::read_to_string(folder.path().join(".github/shakedown.md")).unwrap();
    for line in [
        "gh variable set SHAKEDOWN_REF --repo tls/rustls --body 6bf3a0c2d1e4f5a6b7c8d9e0f1a2b3c4d5e6f708",
        "gh variable set BENCH_STACK --repo tls/rustls --body 'rustls+ring'",
        "gh label create bench --repo tls/rustls",
        "approval_policy=all_external_contributors",
    ] {
        assert!(list.contains(line), "{line} in\n{list}");
    }
    // Again, nothing; and what somebody has changed is not overwritten.
    adopt(folder.path(), &["--stack", "rustls+ring"]).success();
    fs::write(folder.path().join(".github/bench.toml"), "# mine\n").unwrap();
    let refused = adopt(folder.path(), &["--merge-queue"]).code(2);
    refused.stderr(predicate::str::contains("bench.toml exists and differs"));
    assert!(!folder.path().join(".github/workflows/merge-queue.yml").exists());
    adopt(folder.path(), &["--merge-queue", "--force"]).success();
    assert!(folder.path().join(".github/workflows/merge-queue.yml").exists());
    adopt(folder.path(), &["--stack", "$(id)"])
        .code(2)
        .stderr(predicate::str::contains("no stack"));
}

/// What git calls the content of a file of this project.
fn blob_id(path: &str) -> String {
    let mut git = std::process::Command::new("git");
    let output = git.arg("hash-object").arg(common::root().join(path)).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A repository on which everything is as it should be.
fn complete() -> FakeForge {
    let github = FakeForge::start();
    let put = |path: &str, value: Value| {
        github.state().fixtures.insert(format!("/repos/{path}"), value);
    };
    let of = |path: &str| format!("tls/rustls/{path}");
    put(
        "tls/rustls",
        json!({ "default_branch": "main", "private": false, "owner": { "type": "User" } }),
    );
    for name in ["pr-measure.yml", "pr-report.yml", "nightly.yml", "signoff.yml"] {
        let path = format!(".github/workflows/{name}");
        put(&of(&format!("contents/{path}")), json!({ "sha": blob_id(&path) }));
    }
    put(&of("contents/.github/bench.toml"), json!({ "sha": "0" }));
    let variable = |name: &str, value: &str| json!({ "name": name, "value": value });
    put(
        &of("actions/variables"),
        json!({ "variables": [
            variable("SHAKEDOWN_REPOSITORY", "me/shakedown"), variable("SHAKEDOWN_REF", REF),
            variable("BENCH_STACK", "rustls+ring"), variable("BENCH_POLICY", ".github/bench.toml"),
            variable("BENCH_CHART", "on"), variable("BENCH_PAGES", "on"),
        ]}),
    );
    put(&of("labels/bench"), json!({ "name": "bench" }));
    put(&of("actions/permissions"), json!({ "enabled": true, "allowed_actions": "selected" }));
    let patterns = ["benchmark-action/github-action-benchmark@*"];
    let selected = json!({ "github_owned_allowed": true, "patterns_allowed": patterns });
    put(&of("actions/permissions/selected-actions"), selected);
    put(&of("actions/permissions/workflow"), json!({ "default_workflow_permissions": "read" }));
    let approval = json!({ "approval_policy": "all_external_contributors" });
    put(&of("actions/permissions/fork-pr-contributor-approval"), approval);
    let checks = json!({ "required_status_checks": [{ "context": "shakedown" }] });
    let rule = json!({ "type": "required_status_checks", "parameters": checks });
    put(&of("rules/branches/main"), json!([rule, { "type": "deletion" }]));
    put(&of("pages"), json!({ "build_type": "workflow" }));
    put(&of("actions/runners"), runners("online", "2.400.0"));
    put("actions/runner/releases", releases(2));
    github
}

fn runners(status: &str, version: &str) -> Value {
    let labels = json!([{ "name": "self-hosted" }, { "name": "bench" }]);
    let ours = json!({ "name": "bench-1", "status": status, "labels": labels, "version": version });
    json!({ "runners": [ours, { "name": "other", "status": "online", "labels": [] }] })
}

/// 2.400.0, which came out so many days ago.
fn releases(days: i64) -> Value {
    let at = jiff::Timestamp::now() - jiff::SignedDuration::from_hours(24 * days);
    json!([{ "tag_name": "v2.400.0", "published_at": at.to_string() }])
}

/// Checks; returns the exit code and the items that are not as they should be.
fn check(github: &FakeForge) -> (i32, Vec<[String; 3]>) {
    let folder = tempfile::tempdir().unwrap();
    let url = github.url();
    let done =
        adopt(folder.path(), &["--check", "--json", "--api-url", &url, "--releases-api", &url]);
    let output = done.get_output();
    let items: Vec<Value> = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    let text = |item: &Value, field: &str| item[field].as_str().unwrap().to_owned();
    let bad = items.iter().filter(|item| item["state"] != "ok");
    let bad = bad.map(|item| ["what", "state", "fix"].map(|field| text(item, field)));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "it writes nothing");
    (output.status.code().unwrap(), bad.collect())
}

#[test]
fn a_repository_that_is_set_up_lacks_nothing() {
    let github = complete();
    assert_eq!(check(&github), (0, Vec::new()));
    assert!(github.state().requests.iter().all(|(method, ..)| method == "GET"), "it only asks");
    // The token is for the repository's own API: what everybody may read is asked for without.
    let state = github.state();
    let mut of_runner =
        state.requests.iter().filter(|(_, path, _)| path.contains("actions/runner/"));
    assert!(of_runner.all(|(_, _, token)| token.is_empty()));
}

/// Each setting in turn is not there, or another one; and what is said of it.
#[test]
fn what_is_missing_is_named_with_what_to_do() {
    let change = |path: &str, value: Option<Value>| {
        let github = complete();
        let path = format!("/repos/{path}");
        match value {
            Some(value) => github.state().fixtures.insert(path, value),
            None => github.state().fixtures.remove(&path),
        };
        check(&github)
    };
    let of = |path: &str, value: Option<Value>| change(&format!("tls/rustls/{path}"), value);
    let missing = "missing";
    for (path, value, what, state, fix) in [
        (
            "contents/.github/workflows/nightly.yml",
            None,
            "nightly.yml",
            missing,
            "shakedown adopt tls/rustls",
        ),
        (
            "contents/.github/workflows/pr-report.yml",
            Some(json!({ "sha": "89abcdef0123456789abcdef0123456789abcdef" })),
            "pr-report.yml",
            "advice",
            "--force",
        ),
        ("labels/bench", None, "label bench", missing, "gh label create bench"),
        ("actions/permissions", Some(json!({ "enabled": false })), "Actions", missing, "Settings"),
        (
            "actions/permissions/workflow",
            Some(json!({ "default_workflow_permissions": "write" })),
            "permissions of jobs",
            "advice",
            "=read",
        ),
        (
            "actions/permissions/fork-pr-contributor-approval",
            Some(json!({ "approval_policy": "first_time_contributors" })),
            "approval for runs of forks",
            missing,
            "all_external_contributors",
        ),
        (
            "actions/permissions/selected-actions",
            Some(json!({ "github_owned_allowed": true })),
            "allow-list",
            missing,
            "github-action-benchmark",
        ),
        ("rules/branches/main", Some(json!([])), "required check", "advice", "require the check"),
        (
            "rules/branches/main",
            Some(
                json!([{ "type": "merge_queue" }, { "type": "required_status_checks", "parameters": { "required_status_checks": [{ "context": "shakedown" }] } }]),
            ),
            "merge-queue.yml",
            missing,
            "--merge-queue",
        ),
        ("pages", Some(json!({ "build_type": "legacy" })), "Pages", missing, "GitHub Actions"),
        (
            "actions/runners",
            Some(json!({ "runners": [] })),
            "hosts with label bench",
            missing,
            "install.sh",
        ),
        (
            "actions/runners",
            Some(runners("offline", "2.400.0")),
            "hosts with label bench",
            missing,
            "shakedown-runner.service",
        ),
        ("actions/runners", Some(runners("online", "2.399.0")), "", "", ""),
    ] {
        let (code, bad) = of(path, value);
        if what.is_empty() {
            assert_eq!((code, bad), (0, Vec::new()), "it is two days behind, and there is time");
            continue;
        }
        let [found] = &bad[..] else { panic!("{path}: {bad:?}") };
        assert!(
            found[0].contains(what) && found[1] == state && found[2].contains(fix),
            "{path}: {found:?}"
        );
        assert_eq!(code, if state == missing { 2 } else { 0 }, "{path}");
    }
    let github = complete();
    github
        .state()
        .fixtures
        .insert("/repos/tls/rustls/actions/runners".to_owned(), runners("online", "2.399.0"));
    github.state().fixtures.insert("/repos/actions/runner/releases".to_owned(), releases(25));
    let (code, bad) = check(&github);
    assert!(
        code == 2 && bad[0][0] == "runner bench-1" && bad[0][2].contains("runner-update"),
        "{bad:?}"
    );
}

#[test]
fn what_a_token_may_not_ask_is_unknown_and_no_failure() {
    let github = complete();
    github.fail(InjectedFault {
        of: ("GET", "actions/variables"),
        status: 403,
        message: "Resource not accessible by personal access token",
        ..InjectedFault::default()
    });
    let (code, bad) = check(&github);
    assert_eq!(code, 0, "{bad:?}");
    assert!(bad.len() >= 3 && bad.iter().all(|item| item[1] == "unknown"), "{bad:?}");
    assert!(bad[0][2].contains("Variables: read"), "{bad:?}");

    let nobody = FakeForge::start();
    let folder = tempfile::tempdir().unwrap();
    let url = nobody.url();
    let said = adopt(folder.path(), &["--check", "--api-url", &url]).code(2);
    said.stderr(predicate::str::contains("no repository tls/rustls"));
}
