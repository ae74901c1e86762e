//! The hooks of the runner against recorded job environments: allowed and refused jobs, a host
//! that is busy or not fit, and what a job leaves behind.

mod common;

use assert_cmd::Command;
use std::{
    fs,
    io::{Read, Write},
    os::unix::net::UnixListener,
    path::{Path, PathBuf},
    process,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

/// A host with a policy, a lock, a work folder and a helper that answers.
struct Host {
    folder: tempfile::TempDir,
    asked: Arc<Mutex<Vec<String>>>,
}

const FIT: &str = r#"{"fit": true, "epoch": "00112233aabbccdd", "knobs": []}"#;
const UNFIT: &str = r#"{"fit": false, "epoch": "00112233aabbccdd", "knobs": [
  {"name": "smt", "found": "on", "wanted": "off", "state": "differs", "fix": "tune"},
  {"name": "swap", "found": "off", "wanted": "off", "state": "ok", "fix": ""}]}"#;

impl Host {
    fn new(check: &'static str, more: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let policy = format!(
            "repositories = [\"rustls/rustls\"]\n\
             events = [\"push\", \"schedule\", \"pull_request\", \"workflow_run\", \"pull_request_target\", \"issue_comment\", \"pull_request_review\"]\n\
             work = {:?}\nlock = {:?}\nhelper = {:?}\nhealth = {:?}\n{more}",
            at("runner/state/_work"),
            at("lock"),
            at("helper.sock"),
            at("health"),
        );
        fs::create_dir(at("health")).unwrap();
        fs::write(at("runner.toml"), policy).unwrap();
        fs::create_dir_all(at("runner/state/_work")).unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let listener = UnixListener::bind(at("helper.sock")).unwrap();
        let log = Arc::clone(&asked);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, mut verb) = (stream.unwrap(), String::new());
                stream.read_to_string(&mut verb).unwrap();
                let verb = verb.trim().to_owned();
                let answer = if verb == "check" { check } else { "done" };
                let code = if answer == UNFIT { 4 } else { 0 };
                stream.write_all(format!("{answer}\nexit {code}\n").as_bytes()).unwrap();
                log.lock().unwrap().push(verb);
            }
        });
        Self { folder, asked }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The hook in the environment of a recorded job and in no other.
    fn hook(&self, verb: &str, job: &str) -> Command {
        let recorded = common::root().join("runner-setup/hooks/recorded").join(job);
        let mut command = common::shakedown(self.folder.path());
        command.env_clear().args(["host", "hook", verb, "--policy"]).arg(self.path("runner.toml"));
        for line in fs::read_to_string(recorded.join("environment")).unwrap().lines() {
            let (name, value) = line.split_once('=').unwrap();
            command.env(name, value);
        }
        command.env("GITHUB_EVENT_PATH", recorded.join("event.json"));
        command
    }

    fn started(&self, job: &str, code: i32) -> String {
        let assert = self.hook("job-started", job).assert().code(code);
        String::from_utf8(assert.get_output().stdout.clone()).unwrap()
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// The process that the lock's note names.
    fn holder(&self) -> u32 {
        let note = fs::read_to_string(self.path("lock")).unwrap();
        let note: serde_json::Value = serde_json::from_str(&note).unwrap();
        note["pid"].as_u64().unwrap().try_into().unwrap()
    }

    fn is_free(&self) -> bool {
        shakedown_schedule::take_host(
            &self.path("lock"),
            false,
            &mut shakedown_schedule::SilentObserver,
        )
        .is_ok()
    }
}

impl Drop for Host {
    /// A failed test leaves no holder behind.
    fn drop(&mut self) {
        if self.path("lock").exists() && !self.is_free() {
            let _ = process::Command::new("kill").arg(self.holder().to_string()).status();
        }
    }
}

/// A tree in which this machine's processes are in the runner's cgroup.
fn cgroup(host: &Host, pids: &[u32]) -> PathBuf {
    let root = host.path("root");
    let unit = "system.slice/shakedown-runner.service";
    let folder = root.join("sys/fs/cgroup").join(unit);
    fs::create_dir_all(&folder).unwrap();
    fs::create_dir_all(root.join("proc/self")).unwrap();
    fs::write(root.join("proc/self/cgroup"), format!("0::/{unit}\n")).unwrap();
    let list: String = pids.iter().map(|pid| format!("{pid}\n")).collect();
    fs::write(folder.join("cgroup.procs"), list).unwrap();
    root
}

/// A record of a run without trials.
fn record() -> String {
    let facts = shakedown_host::observe(&shakedown_host::HostRoot::real()).unwrap();
    let plan = serde_json::json!({"suite": "pr", "scenarios": [], "meters": [], "blocks": 1, "seed": 1, "aslr": "on",
        "warm_up_ms": 1, "measure_ms": 1, "batch_ms": 1, "operations": 1, "tickets": 2, "timeout_ms": 1});
    let record = serde_json::json!({"schema": 1, "id": "20261121T000000Z-1", "shakedown": "0.1.0",
        "started_ms": 1_795_247_000_000_u64, "host": facts, "plan": plan, "subjects": [], "unsupported": [],
        "trials": [], "finish": {"at_ms": 1_795_247_955_446_u64, "planned": 0}});
    record.to_string()
}

fn dies(child: &mut process::Child) -> bool {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(5) {
        if child.try_wait().unwrap().is_some() {
            return true;
        }
        thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn allowed_jobs_find_a_tuned_host_that_is_held_for_them() {
    for job in ["push", "schedule", "pull-request"] {
        let host = Host::new(FIT, "");
        let said = host.started(job, 0);
        assert!(
            said.contains("admitted: rustls/rustls, workflow Benchmarks, job measure"),
            "{said}"
        );
        assert_eq!(host.asked(), ["tune", "check"]);
        assert!(!host.is_free(), "people's runs wait while {job} measures");
        let note = fs::read_to_string(host.path("lock")).unwrap();
        assert!(note.contains("rustls/rustls, workflow Benchmarks"), "{note}");
    }
}

#[test]
fn jobs_that_may_not_run_do_not_touch_the_host() {
    let refused = [
        "other-repository",
        "fork-pull-request",
        "fork-deleted",
        "fork-workflow-run",
        "fork-review",
        "comment",
        "contradiction",
    ];
    let mut told = String::new();
    for job in refused {
        let host = Host::new(FIT, "");
        told += &format!("{job}\n{}", host.started(job, 2));
        assert_eq!(host.asked(), Vec::<String>::new(), "{job}");
        assert!(!host.path("lock").exists(), "{job}");
    }
    insta::assert_snapshot!(told);
}

#[test]
fn a_fork_runs_by_the_default_branchs_workflow_where_the_operator_says_so() {
    let allowed = "fork-pull-requests = true\n";
    for job in ["comment", "fork-workflow-run"] {
        Host::new(FIT, allowed).started(job, 0);
    }
    // The fork wrote these, also where it is a maintainer who approves.
    for job in ["fork-pull-request", "fork-review"] {
        let host = Host::new(FIT, allowed);
        let said = host.started(job, 2);
        assert!(said.contains("comment /bench on the pull request"), "{said}");
        assert_eq!(host.asked(), Vec::<String>::new(), "{job}");
    }
}

#[test]
fn an_unfit_host_refuses_and_is_free_again() {
    let host = Host::new(UNFIT, "");
    let said = host.started("push", 4);
    assert!(said.contains("smt is on, wanted off"), "{said}");
    assert!(host.is_free());
    let lax = Host::new(UNFIT, "require-fit = false");
    let said = lax.started("push", 0);
    assert!(said.contains("::warning") && said.contains("smt is on"), "{said}");
}

#[test]
fn a_busy_host_refuses_and_is_not_tuned_under_the_other_run() {
    let host = Host::new(FIT, "");
    let other = shakedown_schedule::take_host(
        &host.path("lock"),
        false,
        &mut shakedown_schedule::SilentObserver,
    )
    .unwrap();
    let said = host.started("push", 4);
    assert!(said.contains("in use by process"), "{said}");
    assert_eq!(host.asked(), Vec::<String>::new());
    drop(other);
    host.started("push", 0);
    assert!(host.started("push", 4).contains("in use by process"), "one job at a time");
}

#[test]
fn without_policy_helper_or_environment_no_job_runs() {
    let host = Host::new(FIT, "unknown-key = 1");
    assert!(host.started("push", 2).contains("unknown-key"));
    let host = Host::new(FIT, "");
    fs::remove_file(host.path("helper.sock")).unwrap();
    assert!(host.started("push", 2).contains("shakedown-helper.socket"));
    assert!(host.is_free());
    let host = Host::new("no check at all", "");
    assert!(host.started("push", 2).contains("printed no check"));
    let host = Host::new(FIT, "");
    host.hook("job-started", "push").env_remove("GITHUB_EVENT_NAME").assert().code(2);
}

#[test]
fn after_a_job_its_processes_files_and_hold_are_gone() {
    let host = Host::new(FIT, "between-jobs = \"restored\"");
    host.started("push", 0);
    let mut daemon = process::Command::new("setsid").args(["sleep", "100"]).spawn().unwrap();
    let work = host.path("runner/state/_work");
    fs::create_dir_all(work.join("rustls/rustls")).unwrap();
    fs::create_dir_all(work.join("_temp/_runner_file_commands")).unwrap();
    fs::write(work.join("rustls/rustls/file"), "").unwrap();
    fs::write(work.join("_temp/secret"), "").unwrap();
    fs::create_dir_all(work.join("rustls/rustls/night/run")).unwrap();
    fs::write(work.join("rustls/rustls/night/run/record.json"), record()).unwrap();
    let mut driver = process::Command::new("sleep").arg("100").spawn().unwrap();
    let root = cgroup(&host, &[process::id(), daemon.id(), host.holder()]);
    fs::create_dir_all(root.join("sys/fs/cgroup/shakedown")).unwrap();
    let list = format!("{}\n", driver.id());
    fs::write(root.join("sys/fs/cgroup/shakedown/cgroup.procs"), list).unwrap();
    let assert = host.hook("job-completed", "push").arg("--root").arg(&root).assert().success();
    let said = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(said.contains(&format!("({})", daemon.id())), "{said}");
    assert!(!said.contains("shakedown ("), "the holder is no leftover: {said}");
    assert!(dies(&mut daemon) && dies(&mut driver));
    assert!(!work.join("rustls").exists() && !work.join("_temp/secret").exists());
    assert!(work.join("_temp/_runner_file_commands").exists(), "the runner still reads it");
    assert_eq!(host.asked(), ["tune", "check", "restore"]);
    let runs = shakedown_host::health::runs(&host.path("health"));
    assert_eq!(runs.iter().map(|run| run.at_ms).collect::<Vec<_>>(), [1_795_247_955_446]);
    let start = Instant::now();
    while !host.is_free() {
        assert!(start.elapsed() < Duration::from_secs(5), "the host is still held");
    }
}

#[test]
fn outside_the_runners_unit_nothing_is_killed() {
    let host = Host::new(FIT, "");
    let root = cgroup(&host, &[]);
    fs::write(root.join("proc/self/cgroup"), "0::/user.slice/session-1.scope\n").unwrap();
    let assert = host.hook("job-completed", "push").arg("--root").arg(&root).assert().code(4);
    let said = String::from_utf8(assert.get_output().stdout.clone()).unwrap();
    assert!(said.contains("session-1.scope"), "{said}");
}

#[test]
fn the_recorded_environments_are_those_of_jobs() {
    let folder = common::root().join("runner-setup/hooks/recorded");
    let mut jobs = 0;
    for job in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if job.is_dir() {
            jobs += 1;
            let text = fs::read_to_string(job.join("environment")).unwrap();
            assert!(text.contains("RUNNER_TRACKING_ID=") && text.contains("GITHUB_EVENT_NAME="));
            assert!(!Path::new(&job).join("token").exists());
        }
    }
    assert_eq!(jobs, 10);
}
