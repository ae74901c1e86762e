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

/// A stand-in of Go that, as the real one, has no answer outside of a module, none without a proxy, and fetches
/// another Go if it is not forbidden. It prints what `listed` has.
const GO: &str = r#"#!/bin/sh
[ "$*" = 'list -m -versions golang.org/toolchain' ] || { echo "go: unknown: $*" >&2; exit 2; }
[ -e go.mod ] || { echo 'go: go.mod file not found in current directory' >&2; exit 1; }
[ "$GOTOOLCHAIN" = local ] || { echo 'go: downloading go1.27.0' >&2; exit 1; }
[ -z "${GOFLAGS#-modcacherw}" ] || { echo 'go: -mod may not be set' >&2; exit 1; }
[ "$GOPROXY" != off ] || { echo 'go: module lookup disabled by GOPROXY=off' >&2; exit 1; }
[ -e FOLDER/listed ] || {
    echo 'go: module golang.org/toolchain: Get "https://proxy/golang.org/toolchain/@v/list": dial tcp: lookup proxy: no such host' >&2
    exit 1
}
echo 'go: downloading nothing' >&2
cat FOLDER/listed
"#;

/// A project whose only stack is Go, and a stand-in of Go with this list, or without network.
fn go_project(folder: &Path, listed: Option<&str>) {
    use std::os::unix::fs::PermissionsExt;
    let stacks = folder.join("bench/catalog/stacks");
    for made in [&stacks, &folder.join("bench/catalog/suites"), &folder.join("bin")] {
        fs::create_dir_all(made).unwrap();
    }
    fs::write(stacks.join("go.toml"), GO_STACK).unwrap();
    let go = folder.join("bin/go");
    fs::write(&go, GO.replace("FOLDER", &folder.display().to_string())).unwrap();
    fs::set_permissions(&go, fs::Permissions::from_mode(0o755)).unwrap();
    if let Some(listed) = listed {
        fs::write(folder.join("listed"), listed).unwrap();
    }
}

const GO_STACK: &str = "name = \"go\"\ntitle = \"Go\"\ndefault = \"1.26\"\n\n[toolchain]\nsince = \"1.25.0\"\n\n\
    [[release]]\nversion = \"1.25.5\"\n\n[[release]]\nversion = \"1.26.8\"\n\n[[driver]]\npackage = \"go\"\n";

/// Asks with the stand-in before everything else in `PATH`.
fn go_update(folder: &Path) -> Command {
    let mut command = update(folder);
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", folder.join("bin").display()));
    command.env("GOPROXY", "https://proxy").env_remove("CARGO_NET_OFFLINE");
    command
}

/// Versions of the module for the kinds of machine that Go is for, as a proxy gives them: in no order of ours.
fn toolchains(releases: &[&str]) -> String {
    let machines = ["darwin-arm64", "linux-amd64", "linux-arm64", "windows-386"];
    let of = |release: &&str| machines.map(|machine| format!(" v0.0.1-go{release}.{machine}"));
    format!("golang.org/toolchain{}\n", releases.iter().flat_map(of).collect::<String>())
}

#[test]
fn new_releases_of_go_are_told_and_written() {
    let folder = tempfile::tempdir().unwrap();
    let releases =
        ["1.24.9", "1.25.14", "1.25.5", "1.26.10", "1.26.8", "1.26.9", "1.27.0", "1.28rc1"];
    go_project(folder.path(), Some(&toolchains(&releases)));
    let found = json(&mut go_update(folder.path()));
    let new = &found["stacks"][0]["new"];
    let subjects: Vec<&Value> = new.as_array().unwrap().iter().map(|new| &new["subject"]).collect();
    assert_eq!(subjects, ["go@1.25.14", "go@1.26.10", "go@1.27.0"], "{found}");
    assert!(new[2]["latest"].as_bool().unwrap() && new[2]["commit"].is_null(), "{found}");
    assert!(found["stacks"][0]["head"].is_null(), "{found}");
    let told = go_update(folder.path()).arg("go").assert().success();
    insta::assert_snapshot!(String::from_utf8_lossy(&told.get_output().stdout), @r"
    go  golang.org/toolchain
      new   1.25.14  measure it as go@1.25.14
      new   1.26.10  measure it as go@1.26.10
      new   1.27.0  measure it as go@1.27.0
    ");

    go_update(folder.path()).arg("--write").assert().success();
    let after = fs::read_to_string(folder.path().join("bench/catalog/stacks/go.toml")).unwrap();
    assert!(after.contains("\n[[release]]\nversion = \"1.27.0\"\n\n[[driver]]"), "{after}");
    let found = json(&mut go_update(folder.path()));
    assert_eq!(found["stacks"][0]["new"], Value::Array(Vec::new()), "{found}");
}

#[test]
fn a_list_that_can_not_tell_is_no_success() {
    let html = "<html><body>Sign in to continue: v0.0.1-go1.99.0.linux-amd64.html</body></html>";
    let old = toolchains(&["1.25.0", "1.26.7", "1.27rc1"]);
    for (listed, why) in [
        (None, "the network or the server can't be reached"),
        (Some(""), "has no 1.26.8, or newer"),
        (Some(html), "has no 1.26.8, or newer"),
        (Some(&*old), "has no 1.26.8, or newer"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        go_project(folder.path(), listed);
        let failed = go_update(folder.path()).arg("--json").assert().failure();
        let found: Value = serde_json::from_slice(&failed.get_output().stdout).unwrap();
        assert!(found["stacks"][0]["error"].as_str().unwrap().contains(why), "{found}");
    }
    let folder = tempfile::tempdir().unwrap();
    go_project(folder.path(), Some(&toolchains(&["1.26.8"])));
    let mut offline = go_update(folder.path());
    let failed = offline.env("CARGO_NET_OFFLINE", "true").assert().failure();
    failed.stderr(predicate::str::contains("GOPROXY=off"));
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
