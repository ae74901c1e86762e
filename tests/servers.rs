//! Real servers, measured through the real command: nothing stays behind, whatever happens. Slow: run by
//! `scripts/test`, or by `cargo test --release --test servers -- --ignored`.

mod common;

use common::{record, shakedown};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use shakedown_protocol::{DriverRefusal, Meter, RunRecord, Side, TrialOutcome};
use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

const SUBJECT: &str = "openssl@3.5.5+nginx";
const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
const LONGEST: Duration = Duration::from_secs(120);

/// A suite of these scenarios, each of which takes this long.
fn suite(folder: &Path, ids: &[String], measure_ms: u32) -> std::path::PathBuf {
    let path = folder.join("one.toml");
    let text = format!(
        "name = \"one\"\ndescription = \"one\"\nblocks = 1\naslr = \"on\"\nmeters = [\"time\"]\ntickets = 2\n\
         ids = {ids:?}\n[budget]\nwarm-up-ms = 10\nmeasure-ms = {measure_ms}\nbatch-ms = 20\n\
         operations = 1\ntimeout-ms = 100000\n"
    );
    fs::write(&path, text).unwrap();
    path
}

/// Starts a run in the background, once everything is built.
fn begin(folder: &Path, ids: &[String], measure_ms: u32) -> Child {
    shakedown(folder).args(["build", SUBJECT]).assert().success();
    Command::new(assert_cmd::cargo::cargo_bin!("shakedown"))
        .current_dir(common::root())
        .env("SHAKEDOWN_LOCK", folder.join("lock"))
        .args(["run", SUBJECT, "--as-named", "--suite"])
        .arg(suite(folder, ids, measure_ms))
        .arg("--out")
        .arg(folder.join("run"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// The processes below this one that run nginx with a configuration, and not to tell its version.
fn servers(of: u32) -> Vec<u32> {
    let parent = |pid: u32| -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
    };
    let below = |pid: u32| {
        let mut above = std::iter::successors(parent(pid), |pid| parent(*pid));
        above.any(|pid| pid == of)
    };
    let all = fs::read_dir("/proc").unwrap().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let configured = |pid: &u32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == b"-c")
    };
    pids.filter(|pid| is_nginx(*pid) && below(*pid)).filter(configured).collect()
}

/// How many sockets a process has; `None` once it has ended.
fn sockets(pid: u32) -> Option<usize> {
    let files = fs::read_dir(format!("/proc/{pid}/fd")).ok()?.flatten();
    let socket = |file: &fs::DirEntry| {
        fs::read_link(file.path()).is_ok_and(|to| to.to_string_lossy().starts_with("socket:"))
    };
    Some(files.filter(socket).count())
}

fn is_nginx(pid: u32) -> bool {
    let program = fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
    program.to_string_lossy().contains("memfd:nginx")
}

/// Waits for something.
fn wait<T>(what: &str, found: impl Fn() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(start.elapsed() < LONGEST, "no {what} in {} s", LONGEST.as_secs());
        thread::sleep(Duration::from_millis(20));
    }
}

/// The server of a run that loads it.
fn loaded(run: &Child) -> u32 {
    let server = wait("server", || servers(run.id()).first().copied());
    thread::sleep(Duration::from_millis(500));
    server
}

fn gone(server: u32) {
    wait("end of the server", || (!is_nginx(server)).then_some(()));
}

fn failure(record: &RunRecord) -> String {
    match &record.trials[0].outcome {
        TrialOutcome::Refused(DriverRefusal::Failed(why)) => why.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
#[ignore = "builds OpenSSL and nginx"]
fn a_server_is_measured_like_a_library() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let mut command = shakedown(folder.path());
    command.args(["run", SUBJECT, "--as-named", "--suite", "servers", "--blocks", "1", "--out"]);
    command.arg(&out).assert().success();
    let record = record(&out);
    common::all_measured(&record);
    for trial in &record.trials {
        let (measured, id) = (trial.measured().unwrap(), trial.scenario);
        assert!(measured.checked > 0, "{id}");
        let of = |side: Side| measured.sides.iter().find(|one| one.side == side).unwrap();
        if let Some(memory) = measured.memory {
            assert!(memory.peak_kib > memory.baseline_kib + u64::from(memory.sessions), "{id}");
            continue;
        }
        let [client, server] = match id.sides() {
            [Side::Send, _] => [Side::Receive, Side::Send],
            _ => [Side::Client, Side::Server],
        };
        let counted = |side| of(side).counts.and_then(|counts| counts.instructions);
        if trial.meter == Meter::Instructions {
            assert!(counted(server).unwrap() > 100_000 && counted(client).is_none(), "{id}");
        } else {
            assert!(of(client).latency.is_some() && of(server).latency.is_none(), "{id}");
        }
    }
    let report = fs::read_to_string(out.join("report.md")).unwrap();
    assert!(!report.contains("no trial yielded this metric"), "{report}");
    assert!(record.subjects[0].driver.details[0].contains("nginx/"));
    assert!(record.subjects[0].artifact.flags.iter().any(|flag| flag.contains("nginx-src")));
}

#[test]
#[ignore = "builds OpenSSL and nginx"]
fn many_connections_are_open_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let ids = ["handshake-full", "handshake-ticket", "bulk"].map(|kind| {
        let write = if kind == "bulk" { "/write-1KiB" } else { "" };
        format!("{kind}/tls1.3/aes256-gcm/x25519/ecdsa-p256{write}/connections-300")
    });
    let mut run = begin(folder.path(), &ids, 2_000);
    // Besides them a server has the socket that it listens on.
    let many = |server: &u32| sockets(*server).is_some_and(|number| number > 300);
    wait("300 connections", || servers(run.id()).iter().any(many).then_some(()));
    assert!(run.wait().unwrap().success());
    let record = record(&folder.path().join("run"));
    common::all_measured(&record);
    for trial in &record.trials {
        let (measured, id) = (trial.measured().unwrap(), trial.scenario);
        // Each connection of a transfer, and each after the first of a resumption, is checked.
        assert!(measured.checked >= 300, "{id}: {}", measured.checked);
        assert_eq!(measured.negotiated.as_ref().unwrap().resumed, id.resumes(), "{id}");
    }
}

/// With too few open files a trial is refused, with both numbers.
#[test]
#[ignore = "builds OpenSSL and nginx"]
fn connections_beyond_the_limit_of_files_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    shakedown(folder.path()).args(["build", SUBJECT]).assert().success();
    let suite = suite(folder.path(), &[format!("{FULL}/connections-300")], 100);
    let command = "ulimit -n 200; exec \"$@\"";
    let run = Command::new("bash")
        .args(["-c", command, "bash"])
        .arg(assert_cmd::cargo::cargo_bin!("shakedown"))
        .current_dir(common::root())
        .env("SHAKEDOWN_LOCK", folder.path().join("lock"))
        .args(["run", SUBJECT, "--as-named", "--suite"])
        .arg(suite)
        .arg("--out")
        .arg(folder.path().join("run"))
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let record = record(&folder.path().join("run"));
    let why = &record.unsupported[0].reason;
    assert!(why.contains("need 364 open files, and 200 are allowed"), "{why}");
}

#[test]
#[ignore = "builds OpenSSL and nginx"]
fn a_server_that_dies_under_load_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = begin(folder.path(), &[FULL.to_owned()], 20_000);
    kill(Pid::from_raw(loaded(&run).cast_signed()), Signal::SIGSEGV).unwrap();
    assert!(run.wait().unwrap().success());
    let why = failure(&record(&folder.path().join("run")));
    assert!(why.contains("nginx ended while it was measured"), "{why}");
}

#[test]
#[ignore = "builds OpenSSL and nginx"]
fn a_server_that_hangs_is_said_and_ended() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = begin(folder.path(), &[FULL.to_owned()], 40_000);
    let server = loaded(&run);
    kill(Pid::from_raw(server.cast_signed()), Signal::SIGSTOP).unwrap();
    assert!(run.wait().unwrap().success());
    let why = failure(&record(&folder.path().join("run")));
    assert!(why.contains("did not answer within 10 s"), "{why}");
    gone(server);
}

#[test]
#[ignore = "builds OpenSSL and nginx"]
fn nothing_outlives_a_run_that_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut run = begin(folder.path(), &[FULL.to_owned()], 60_000);
    let server = loaded(&run);
    run.kill().unwrap();
    run.wait().unwrap();
    gone(server);
}
