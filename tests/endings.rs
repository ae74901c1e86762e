//! How the command ends when nobody reads what it says, when somebody stops it, and when it is asked
//! for something that can't be.

mod common;

use assert_cmd::cargo::cargo_bin;
use common::{NOOP, mini::POLICY, nights::History, record, root, shakedown};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use shakedown_protocol::fixture::comparison::comparison;
use shakedown_schedule::SilentObserver;
use std::{
    fs,
    io::{BufRead, BufReader},
    os::{fd::OwnedFd, unix::fs::PermissionsExt},
    path::Path,
    process::{Command, Stdio},
};

const SCENARIO: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";

/// The end of a pipe that nobody reads.
fn unread() -> OwnedFd {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

/// The command, called from the project's folder, as a process of its own.
fn process(folder: &Path) -> Command {
    let mut command = Command::new(cargo_bin("shakedown"));
    command.current_dir(root()).env("SHAKEDOWN_LOCK", folder.join("lock"));
    command
}

#[test]
fn a_run_that_nobody_reads_is_still_measured_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut run = process(folder.path());
    run.args(["run", "--suite", "smoke", "--only", SCENARIO, "--blocks", "1", NOOP, "--out"]);
    let status = run.arg(&out).stdout(unread()).stderr(unread()).status().unwrap();
    assert_eq!(status.code(), Some(0), "{status}");
    assert!(record(&out).finish.is_some());
    assert!(out.join("report.md").exists() && out.join("report.html").exists());
}

#[test]
fn a_verdict_that_nobody_reads_is_still_the_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record.json");
    let slower = comparison(&[(SCENARIO, [0.8, 0.8])]);
    fs::write(&path, serde_json::to_string(&slower).unwrap()).unwrap();
    let mut gate = process(folder.path());
    let status = gate.arg("gate").arg(&path).stdout(unread()).stderr(unread()).status().unwrap();
    assert_eq!(status.code(), Some(1), "{status}");
}

#[test]
fn a_run_that_is_stopped_names_the_command_that_finishes_it() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a run");
    let resume = stopped(folder.path(), &out, Signal::SIGTERM);
    // As a shell reads it.
    let line = resume.replacen("shakedown", cargo_bin("shakedown").to_str().unwrap(), 1);
    let mut shell = Command::new("sh");
    shell.current_dir(root()).env("SHAKEDOWN_LOCK", folder.path().join("lock"));
    let finished = shell.args(["-c", &line]).output().unwrap();
    assert!(finished.status.success(), "{}", String::from_utf8_lossy(&finished.stderr));
    assert!(record(&out).finish.is_some());
}

#[test]
fn ctrl_c_and_a_closed_terminal_name_it_too() {
    for signal in [Signal::SIGINT, Signal::SIGHUP] {
        let folder = tempfile::tempdir().unwrap();
        stopped(folder.path(), &folder.path().join("a run"), signal);
    }
}

/// Stops a run by a signal: the command that finishes it, as it was said.
fn stopped(folder: &Path, out: &Path, signal: Signal) -> String {
    let mut run = process(folder);
    run.args(["run", "--suite", "smoke", "--only", SCENARIO, "--blocks", "500", NOOP, "--out"]);
    let mut run = run.arg(out).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(run.stderr.take().unwrap()).lines().map(Result::unwrap);
    let begun = said.find(|line| line.starts_with("results go to")).unwrap();
    assert!(begun.ends_with("a run"), "{begun}");
    said.find(|line| line.starts_with("measuring: ")).unwrap();
    kill(Pid::from_raw(run.id() as i32), signal).unwrap();
    let rest: Vec<String> = said.collect();
    assert!(!run.wait().unwrap().success());
    let stop = format!("stopped by {signal}.");
    assert!(rest.iter().any(|line| line.starts_with(&stop)), "{rest:?}");
    let resume = rest.last().unwrap().trim();
    assert!(resume.starts_with("shakedown run --resume "), "{rest:?}");
    resume.to_owned()
}

/// Another run can hold the host for hours.
#[test]
fn a_comparison_that_is_stopped_before_its_first_trial_can_be_finished() {
    let folder = tempfile::tempdir().unwrap();
    let (out, policy) = (folder.path().join("out"), folder.path().join("policy.toml"));
    fs::write(&policy, POLICY).unwrap();
    let lock = folder.path().join("lock");
    let held = shakedown_schedule::take_host(&lock, false, &mut SilentObserver).unwrap();
    let mut compare = process(folder.path());
    compare.args(["compare", "--suite", "smoke", "--only", SCENARIO, "--policy"]).arg(&policy);
    compare.arg("--history").arg(folder.path().join("history")).arg("--out").arg(&out);
    compare.args([NOOP, NOOP]).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut compare = compare.spawn().unwrap();
    let mut said = BufReader::new(compare.stderr.take().unwrap()).lines().map(Result::unwrap);
    said.find(|line| line.starts_with("waiting: ")).unwrap();
    kill(Pid::from_raw(compare.id() as i32), Signal::SIGTERM).unwrap();
    let rest: Vec<String> = said.collect();
    assert!(!compare.wait().unwrap().success());
    let waited = record(&out);
    assert!(waited.trials.is_empty() && waited.finish.is_none());
    drop(held);

    let resume = rest.last().unwrap().trim();
    assert!(resume.starts_with("shakedown compare --resume "), "{rest:?}");
    let line = resume.replacen("shakedown", cargo_bin("shakedown").to_str().unwrap(), 1);
    let mut shell = Command::new("sh");
    shell.current_dir(root()).env("SHAKEDOWN_LOCK", &lock);
    let finished = shell.args(["-c", &line]).output().unwrap();
    assert!(finished.status.success(), "{}", String::from_utf8_lossy(&finished.stderr));
    let finished = record(&out);
    assert!(finished.finish.is_some() && !finished.trials.is_empty());
    assert!(finished.started_ms > waited.started_ms, "it began when the host was free");
    assert!(out.join("judgement.json").exists());
}

#[test]
fn a_run_that_may_not_wait_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (out, lock) = (folder.path().join("out"), folder.path().join("lock"));
    let _held = shakedown_schedule::take_host(&lock, false, &mut SilentObserver).unwrap();
    let mut run = shakedown(folder.path());
    run.args(["run", "--suite", "smoke", "--only", SCENARIO, "--no-wait", NOOP, "--out"]);
    let refused = run.arg(&out).assert().failure();
    let error = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    assert!(error.contains("this host is busy"), "{error}");
    assert!(!out.join("record.json").exists());
}

#[test]
fn what_can_be_refused_is_refused_before_anything_is_built() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str], said: &str| {
        let ended = shakedown(folder.path()).args(arguments).assert().code(2);
        let error = String::from_utf8_lossy(&ended.get_output().stderr).into_owned();
        assert!(error.starts_with("error: ") && error.contains(said), "{arguments:?}: {error}");
    };
    refused(&["run", "--cpu", "7777", NOOP], "CPU 7777 can't be used: this process may run on ");
    refused(&["compare", "--cpu", "7777", NOOP, NOOP], "CPU 7777 can't be used");
    refused(
        &["compare", "openssl@3.5.5", "rustls@0.23.46"],
        "different stacks: `shakedown run` measures them side by side",
    );
}

#[test]
fn a_history_that_is_not_there_is_an_error_and_stays_away() {
    let history = History::new();
    for question in [
        &["history", "verify"][..],
        &["history", "list"],
        &["history", "trend", SCENARIO],
        &["history", "changes"],
        &["export", "--format", "csv"],
        &["site", "unwritten"],
    ] {
        let ended = history.call(question).code(2);
        let error = String::from_utf8_lossy(&ended.get_output().stderr).into_owned();
        assert!(error.contains("there is no history in"), "{question:?}: {error}");
        assert!(error.contains("`shakedown history add RUN` starts one"), "{question:?}: {error}");
        assert!(!history.dir().exists(), "{question:?} made a folder");
    }
}

#[test]
fn a_read_only_history_can_be_read() {
    let history = History::with_a_change();
    let mode = |mode| fs::set_permissions(history.dir(), fs::Permissions::from_mode(mode)).unwrap();
    mode(0o555);
    let out = history.at("site");
    // Root may write anywhere; without its capabilities it may not.
    let root_user = nix::unistd::geteuid().is_root();
    let call = |arguments: &[&str]| {
        let mut command = Command::new(if root_user { "setpriv" } else { "env" });
        if root_user {
            command.args(["--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"]);
        }
        command.arg(cargo_bin("shakedown")).args(arguments).current_dir(root());
        let ended = command.env("SHAKEDOWN_HISTORY", history.dir()).output().unwrap();
        let error = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(ended.status.success(), "{arguments:?}: {error}");
        String::from_utf8(ended.stdout).unwrap()
    };
    assert!(call(&["history", "verify"]).contains("13 runs"));
    assert_eq!(call(&["history", "list"]).lines().count(), 14);
    assert!(call(&["history", "trend", SCENARIO]).contains("wire-bytes"));
    call(&["site", out.to_str().unwrap()]);
    mode(0o755);
    assert!(out.join("index.html").exists());
    assert!(!history.dir().join(".index").exists(), "something was written");
}
