//! `shakedown catalog`: looking for releases, and splitting a suite over hosts.

mod common;

use assert_cmd::Command;
use predicates::prelude::*;
use serde_json::Value;
use std::{fs, path::Path};

/// A project in miniature whose only stack is developed in `upstream`.
fn project(folder: &Path) {
    let stacks = folder.join("bench/catalog/stacks");
    fs::create_dir_all(&stacks).unwrap();
    fs::create_dir_all(folder.join("bench/catalog/suites")).unwrap();
    let text = format!(
        "# kept\nname = \"tiny\"\ntitle = \"Tiny\"\ndefault = \"1\"\n\n[git]\nurl = \"{}\"\ntags = '^v(\\d+\\.\\d+\\.\\d+)$'\n\n\
         [crate]\nname = \"tiny\"\n\n[[release]]\nversion = \"1.0.0\"\nsha256 = \"{}\"\n\n\
         [[driver]]\npackage = \"tiny\"\ninject = [{{ crate = \"tiny\", folder = \"tiny\" }}]\n",
        folder.join("upstream").display(),
        "0".repeat(64),
    );
    fs::write(stacks.join("tiny.toml"), text).unwrap();
    fs::create_dir(folder.join("upstream")).unwrap();
    git(folder, &["init", "-q", "-b", "main"]);
    git(folder, &["commit", "-q", "--allow-empty", "-m", "one"]);
    for tag in ["v0.9.0", "v1.0.0", "v1.1.0", "v1.1.7", "v1.1.12", "v1.2.0-rc1"] {
        git(folder, &["tag", "-m", "release", tag]);
    }
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = std::process::Command::new("git");
    command.args(["-c", "user.name=t", "-c", "user.email=t@t", "-C"]);
    let output = command.arg(folder.join("upstream")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn update(folder: &Path) -> Command {
    let mut command = common::shakedown(folder);
    command.env("SHAKEDOWN_ROOT", folder).args(["catalog", "update"]);
    command
}

fn json(command: &mut Command) -> Value {
    let done = command.arg("--json").assert().success();
    serde_json::from_slice(&done.get_output().stdout).unwrap()
}

#[test]
fn new_releases_are_told_and_written() {
    let folder = tempfile::tempdir().unwrap();
    project(folder.path());
    let head = git(folder.path(), &["rev-parse", "HEAD"]);
    let found = json(&mut update(folder.path()));
    let tiny = &found["stacks"][0];
    assert_eq!(tiny["head_subject"], format!("tiny@git:{head}"));
    assert_eq!(tiny["new"].as_array().unwrap().len(), 3, "{found}");
    let latest = |at: usize| tiny["new"][at]["latest"].as_bool().unwrap();
    assert!(!latest(0) && !latest(1) && latest(2), "1.1.12 is the newest of its series: {found}");
    assert_eq!(tiny["new"][0]["subject"], "tiny@git:v1.1.0");
    assert_eq!(tiny["new"][0]["commit"], head.as_str());

    let file = folder.path().join("bench/catalog/stacks/tiny.toml");
    let before = fs::read_to_string(&file).unwrap();
    update(folder.path()).assert().success().stdout(predicate::str::contains("new   1.1.0"));
    assert_eq!(fs::read_to_string(&file).unwrap(), before, "only --write writes");
    update(folder.path()).args(["tiny", "--write"]).assert().success();
    let after = fs::read_to_string(&file).unwrap();
    assert!(after.starts_with("# kept\n") && after.contains(&head), "{after}");
    let found = json(&mut update(folder.path()));
    assert_eq!(found["stacks"][0]["new"], Value::Array(Vec::new()));
}

#[test]
fn a_repository_that_does_not_answer_is_named_and_no_success() {
    let folder = tempfile::tempdir().unwrap();
    project(folder.path());
    fs::remove_dir_all(folder.path().join("upstream")).unwrap();
    let failed = update(folder.path()).arg("--json").assert().code(2);
    let found: Value = serde_json::from_slice(&failed.get_output().stdout).unwrap();
    assert!(found["stacks"][0]["error"].as_str().unwrap().contains("upstream"), "{found}");
    update(folder.path()).arg("tyni").assert().code(2).stderr(predicate::str::contains("tiny"));
}

#[test]
fn a_suite_is_shared_out_whole() {
    let folder = tempfile::tempdir().unwrap();
    let share = |hosts: &[&str]| {
        let mut command = common::shakedown(folder.path());
        json(command.args(["catalog", "share", "--suite", "pr"]).args(hosts))
    };
    let count = |shares: &Value| -> usize {
        let include = shares["include"].as_array().unwrap();
        include.iter().map(|share| share["only"].as_str().unwrap().split(' ').count()).sum()
    };
    let (alone, shared) = (share(&["a"]), share(&["a", "b", "c"]));
    assert!(count(&alone) > 20 && count(&alone) == count(&shared), "{shared}");
    let mut twice = common::shakedown(folder.path());
    twice.args(["catalog", "share", "a", "a"]).assert().code(2);
}
