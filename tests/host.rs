//! `shakedown host` on captured trees of machines, as an operator meets it.

mod common;

use common::{root, shakedown};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

/// Unpacks a machine and returns its root.
fn machine(folder: &Path, name: &str) -> PathBuf {
    let text = root().join(format!("runner-setup/host/tests/fixtures/{name}.txt"));
    let machine = folder.join(name);
    host::tree::unpack(&fs::read_to_string(text).unwrap(), &machine).unwrap();
    machine
}

fn host(folder: &Path, verb: &str, machine: &Path, code: i32) -> String {
    let mut command = shakedown(folder);
    command.args(["host", verb, "--root"]).arg(machine);
    let output = command.assert().code(code).get_output().stdout.clone();
    String::from_utf8(output).unwrap()
}

#[test]
fn check_prints_a_table_of_each_machine() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["intel", "amd", "arm", "hybrid", "vm"] {
        let machine = machine(folder.path(), name);
        insta::assert_snapshot!(format!("check_{name}"), host(folder.path(), "check", &machine, 4));
    }
}

#[test]
fn tune_makes_a_server_fit_and_restore_takes_it_back() {
    let folder = tempfile::tempdir().unwrap();
    let machine = machine(folder.path(), "arm");
    let told = host(folder.path(), "tune", &machine, 0);
    insta::assert_snapshot!("tune_arm", told);
    fs::write(machine.join("proc/812/comm"), "bash\n").unwrap();
    assert!(host(folder.path(), "check", &machine, 0).contains("\nfit: "));
    let again = host(folder.path(), "tune", &machine, 0);
    assert!(again.starts_with("nothing to change"), "{again}");
    insta::assert_snapshot!("restore_arm", host(folder.path(), "restore", &machine, 0));
    assert!(host(folder.path(), "restore", &machine, 0).contains("not tuned"));
}

#[test]
fn check_as_json_has_what_workflows_read() {
    let folder = tempfile::tempdir().unwrap();
    let machine = machine(folder.path(), "vm");
    let mut command = shakedown(folder.path());
    let output = command.args(["host", "check", "--json", "--root"]).arg(&machine).assert().code(4);
    let json: serde_json::Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    assert_eq!(json["fit"], false);
    assert_eq!(json["epoch"].as_str().unwrap().len(), 16);
    for key in ["name", "found", "wanted", "state", "fix"] {
        assert!(json["knobs"][0].get(key).is_some(), "{key}");
    }
    // A guest whose knobs are all set will do where guests are allowed.
    host(folder.path(), "tune", &machine, 0);
    fs::write(machine.join("proc/812/comm"), "bash\n").unwrap();
    host(folder.path(), "check", &machine, 4);
    let mut command = shakedown(folder.path());
    command.args(["host", "check", "--allow-guest", "--root"]).arg(&machine).assert().code(0);
}

/// A real `kill -9` of the real program, at several times.
#[test]
fn a_killed_tune_is_restored() {
    let folder = tempfile::tempdir().unwrap();
    let machine = machine(folder.path(), "v1");
    let files = |machine: &Path| {
        let mut files = Vec::new();
        for folder in ["proc", "sys", "systemd"] {
            let output = Command::new("grep").arg("-r").arg("").arg(machine.join(folder)).output();
            let text = String::from_utf8(output.unwrap().stdout).unwrap();
            files.extend(text.lines().map(str::to_owned));
        }
        files.sort();
        files
    };
    let before = files(&machine);
    let mut killed_within = 0;
    for wait in [0, 60, 120, 180, 240] {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin("shakedown"))
            .args(["host", "tune", "--pause", "30", "--root"])
            .arg(&machine)
            .current_dir(root())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        killed_within += usize::from(files(&machine) != before);
        host(folder.path(), "restore", &machine, 0);
        assert_eq!(files(&machine), before, "killed after {wait} ms");
    }
    assert!(killed_within > 0, "every kill came too early to tell anything");
}
