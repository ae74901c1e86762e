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
    shakedown_host::tree::unpack(&fs::read_to_string(text).unwrap(), &machine).unwrap();
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

fn call(folder: &Path, arguments: &[&str], code: i32) -> String {
    let assert = shakedown(folder).arg("host").args(arguments).assert().code(code);
    String::from_utf8(assert.get_output().stdout.clone()).unwrap()
}

#[test]
fn boot_parameters_are_shown_before_they_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let machine = machine(folder.path(), "intel");
    let root = machine.to_str().unwrap();
    fs::create_dir_all(machine.join("etc/default/grub.d")).unwrap();
    let file = machine.join("etc/default/grub.d/shakedown.cfg");
    insta::assert_snapshot!("boot_intel", call(folder.path(), &["boot", "--root", root], 0));
    assert!(!file.exists());
    let told = call(folder.path(), &["boot", "--write", "--root", root], 0);
    assert!(told.contains("takes effect at the next boot"), "{told}");
    assert!(fs::read_to_string(&file).unwrap().contains("nosmt"));
    call(folder.path(), &["boot", "--remove", "--root", root], 0);
    assert!(!file.exists());
    call(folder.path(), &["boot", "--write", "--remove", "--root", root], 2);
}

#[test]
fn what_changed_between_two_epochs_is_told_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let machine = machine(folder.path(), "intel");
    let root = machine.to_str().unwrap();
    let before = folder.path().join("before.json");
    fs::write(&before, call(folder.path(), &["epoch", "--json", "--root", root], 0)).unwrap();
    fs::write(machine.join("sys/devices/system/cpu/intel_pstate/no_turbo"), "1\n").unwrap();
    let status = "Package: gcc\nStatus: install ok installed\nVersion: 4:12.2.0-3\n";
    fs::create_dir_all(machine.join("var/lib/dpkg")).unwrap();
    fs::write(machine.join("var/lib/dpkg/status"), status).unwrap();
    let before = before.to_str().unwrap();
    let explain = ["epoch", "--explain", before, "now", "--root", root];
    insta::assert_snapshot!("epoch_explained", call(folder.path(), &explain, 0));
    let same = call(folder.path(), &["epoch", "--explain", "now", "now", "--root", root], 0);
    assert!(same.starts_with("the same epoch"), "{same}");
    call(folder.path(), &["epoch", "--explain", "now", "/nowhere"], 2);
}

#[test]
fn watching_gives_a_line_a_look_and_metrics_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let machine = machine(folder.path(), "hybrid");
    let root = machine.to_str().unwrap();
    let lines = call(
        folder.path(),
        &["watch", "--json", "--interval", "0", "--count", "2", "--root", root],
        0,
    );
    assert_eq!(lines.lines().count(), 2);
    for line in lines.lines() {
        let json: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(json["throttles"], 0, "{json}");
    }
    call(folder.path(), &["watch", "--interval", "-1"], 2);
    fs::create_dir_all(machine.join("sys/class/thermal/thermal_zone0")).unwrap();
    fs::write(machine.join("sys/class/thermal/thermal_zone0/temp"), "65000\n").unwrap();
    let wait = |below: &str, code| {
        call(
            folder.path(),
            &["watch", "--wait-below", below, "--patience", "0", "--root", root],
            code,
        );
    };
    wait("70", 0);
    wait("60", 4);
    let out = folder.path().join("shakedown.prom");
    call(folder.path(), &["metrics", "--root", root, "--out", out.to_str().unwrap()], 0);
    let text = fs::read_to_string(&out).unwrap();
    assert!(text.contains("shakedown_host_fit 0\n"), "{text}");
    assert!(text.contains("shakedown_host_temperature_celsius 65\n"), "{text}");
    assert!(text.contains("shakedown_host_disk_free_bytes{folder=\"/\"}"), "{text}");
}

#[test]
fn the_kernels_tracers_are_asked_or_said_to_be_absent() {
    let folder = tempfile::tempdir().unwrap();
    let machine = machine(folder.path(), "intel");
    let root = machine.to_str().unwrap();
    let ask = || call(folder.path(), &["osnoise", "--seconds", "1", "--root", root], 0);
    assert_eq!(
        ask().lines().skip(1).collect::<Vec<_>>(),
        ["osnoise: this kernel was built without it", "hwlat: this kernel was built without it"]
    );
    let tracers = "\
sys/kernel/tracing/available_tracers = osnoise hwlat nop
sys/kernel/tracing/current_tracer = nop
sys/kernel/tracing/tracing_cpumask = ff
sys/kernel/tracing/osnoise/cpus = 0-7
sys/kernel/tracing/trace =
|            <...>-859     [003] d....    81.637220: 1000000        190  99.98100       9     18      0   1007     18      1
";
    shakedown_host::tree::unpack(tracers, &machine).unwrap();
    insta::assert_snapshot!("osnoise", ask());
    fs::write(machine.join("sys/kernel/tracing/current_tracer"), "function\n").unwrap();
    assert!(ask().contains("osnoise: the tracer `function` is at work"));
}

#[test]
fn the_line_of_systemd_boot_gets_the_parameters_and_loses_them() {
    let folder = tempfile::tempdir().unwrap();
    let machine = machine(folder.path(), "intel");
    let root = machine.to_str().unwrap();
    let line = machine.join("etc/kernel/cmdline");
    fs::create_dir_all(line.parent().unwrap()).unwrap();
    fs::write(&line, "root=UUID=1b0c ro quiet\n").unwrap();
    let told = call(folder.path(), &["boot", "--root", root], 0);
    assert!(told.contains("/etc/kernel/cmdline:") && told.contains("kernel-install add"), "{told}");
    call(folder.path(), &["boot", "--write", "--root", root], 0);
    let written = fs::read_to_string(&line).unwrap();
    assert!(written.starts_with("root=UUID=1b0c ro quiet nosmt "), "{written}");
    let again = call(folder.path(), &["boot", "--root", root], 0);
    assert!(again.contains("nothing to change"), "install.sh goes by this: {again}");
    call(folder.path(), &["boot", "--remove", "--root", root], 0);
    assert_eq!(fs::read_to_string(&line).unwrap(), "root=UUID=1b0c ro quiet\n");
}

#[test]
fn a_command_is_held_alone_and_ends_with_its_own_code() {
    let folder = tempfile::tempdir().unwrap();
    let hold = |arguments: &[&str]| {
        let mut command = shakedown(folder.path());
        command.args(["host", "hold", "--no-wait", "--"]).args(arguments);
        command.assert()
    };
    hold(&["true"]).code(0);
    hold(&["sh", "-c", "exit 77"]).code(77);
    hold(&["sh", "-c", "kill -9 $$"]).code(137);
    hold(&["/nowhere/at/all"]).code(2);
    let lock = folder.path().join("lock");
    let held = shakedown_schedule::take_host(&lock, false, &mut shakedown_schedule::SilentObserver)
        .unwrap();
    let busy = hold(&["true"]).code(4);
    let said = String::from_utf8(busy.get_output().stderr.clone()).unwrap();
    assert!(said.contains("the host is in use"), "{said}");
    drop(held);
    hold(&["true"]).code(0);
}

#[test]
fn facts_are_those_of_a_record() {
    let folder = tempfile::tempdir().unwrap();
    let machine = machine(folder.path(), "amd");
    let text = call(folder.path(), &["facts", "--root", machine.to_str().unwrap()], 0);
    let facts: shakedown_protocol::HostFacts = serde_json::from_str(&text).unwrap();
    assert_eq!(facts, shakedown_host::observe(&shakedown_host::HostRoot::at(&machine)).unwrap());
}
