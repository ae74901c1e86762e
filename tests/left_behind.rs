//! What foreign code may leave behind in the sandbox, and what `scripts/workflow/compare` makes of
//! it: nothing of it leads the job astray, and nothing but a record leaves it.
//!
//! The sandbox here is a script of the test that leaves just that. The walls of the real one are
//! tested where it runs as root: `scripts/test --vm`.

mod common;

use common::root;
use shakedown_protocol::RunRecord;
use shakedown_protocol::fixture::comparison::comparison;
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";

/// A job on a host, up to the step that compares.
struct Job {
    folder: tempfile::TempDir,
}

/// What the step came to.
struct Done {
    code: i32,
    /// What it printed.
    log: String,
    /// Its outputs, as the runner takes them: from the file, and from commands in the log.
    outputs: Vec<String>,
}

impl Job {
    /// In which foreign code leaves what `leaves`, a script, leaves in the folder that it is given.
    fn new(leaves: &str) -> Self {
        let job = Self { folder: tempfile::tempdir().unwrap() };
        let tool = job.at("tool");
        copy(&root().join("bench/catalog"), &tool.join("bench/catalog"));
        for folder in ["subject-base", "subject-head", "secret/run", "tool/thresholds", "bin"] {
            fs::create_dir_all(job.at(folder)).unwrap();
        }
        for file in ["thresholds/pr.toml", "thresholds/accepted.toml"] {
            fs::copy(root().join(file), tool.join(file)).unwrap();
        }
        // The step copies the command, which is large before it is stripped.
        let built = assert_cmd::cargo::cargo_bin("shakedown");
        job.script("bin/shakedown", &format!("exec '{}' \"$@\"\n", built.display()));
        fs::write(job.at("secret/run/record.json"), job.record(1.0)).unwrap();
        fs::write(job.at("record-of-slow"), job.record(0.93)).unwrap();
        let takes =
            "while [ \"$#\" -gt 0 ]; do\n  [ \"$1\" != --out ] || out=$2\n  shift 2\ndone\n";
        job.script("sandbox", &format!("set -eu\n{takes}job=$PWD\ncd \"$out\"\n{leaves}\n"));
        job
    }

    fn script(&self, name: &str, text: &str) {
        fs::write(self.at(name), format!("#!/usr/bin/env bash\n{text}")).unwrap();
        fs::set_permissions(self.at(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A sound record whose server has this factor.
    fn record(&self, factor: f64) -> String {
        serde_json::to_string(&comparison(&[(FULL, [1.0, factor])])).unwrap()
    }

    fn run(&self) -> Done {
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{path}", self.at("bin").display());
        fs::write(self.at("output"), "").unwrap();
        let done = Command::new("timeout")
            .args(["60", "bash"])
            .arg(root().join("scripts/workflow/compare"))
            .current_dir(self.folder.path())
            .env("PATH", path)
            .env("SHAKEDOWN_SANDBOX", self.at("sandbox"))
            .env("SHAKEDOWN_ROOT", self.at("tool"))
            .env("GITHUB_OUTPUT", self.at("output"))
            .env_remove("ACTIONS_RUNNER_HOOK_JOB_STARTED")
            .envs([("SUBJECT", "subject"), ("STACK", "rustls+ring"), ("SUITE", "pr")])
            .output()
            .unwrap();
        let log = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
        let mut outputs: Vec<String> =
            fs::read_to_string(self.at("output")).unwrap().lines().map(str::to_owned).collect();
        outputs.extend(heard(&log));
        Done { code: done.status.code().unwrap(), log, outputs }
    }

    /// What the step that uploads would take.
    fn handed_over(&self) -> Option<String> {
        let path = self.at("record/record.json");
        assert!(!path.is_symlink(), "a link is handed over");
        fs::read_to_string(path).ok()
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            copy(&path, &to.join(entry.file_name()));
        } else {
            fs::copy(&path, to.join(entry.file_name())).unwrap();
        }
    }
}

/// The outputs that a runner reads out of a log: unless it was told to stop, and not to go on
/// before a certain word.
fn heard(log: &str) -> Vec<String> {
    let (mut heard, mut until) = (Vec::new(), None);
    for line in log.lines().map(str::trim_start) {
        if let Some(word) = &until {
            if line == format!("::{word}::") {
                until = None;
            }
            continue;
        }
        if let Some(word) = line.strip_prefix("::stop-commands::") {
            until = Some(word.to_owned());
        } else if let Some(rest) = line.strip_prefix("::set-output name=") {
            heard.push(rest.replacen("::", "=", 1));
        }
    }
    assert_eq!(until, None, "nobody listens to the rest of the job");
    heard
}

/// The outputs of a step whose record was judged.
fn judged(verdict: &str, code: u8) -> Vec<String> {
    vec!["record=true".to_owned(), format!("verdict={verdict}"), format!("code={code}")]
}

#[test]
fn a_sound_record_is_judged_and_handed_over() {
    let job = Job::new("mkdir run; cp \"$job/secret/run/record.json\" run/; echo 0 >code");
    let done = job.run();
    assert_eq!((done.code, done.outputs), (0, judged("pass", 0)));
    let record = RunRecord::from_json(&job.handed_over().unwrap()).unwrap();
    assert_eq!(record, comparison(&[(FULL, [1.0, 1.0])]));
}

#[test]
fn the_verdict_rests_on_the_numbers_whatever_code_is_left() {
    for code in ["0", "5", "256", "nonsense", "-1", ""] {
        let slow = "cp \"$job/record-of-slow\" run/record.json";
        let job = Job::new(&format!("mkdir run; {slow}; echo '{code}' >code"));
        assert_eq!(job.run().outputs, judged("regressed", 1), "{code:?}");
    }
    // A comparison that was ended when it looked well decides nothing.
    let early = "sed 's/\"finish\":{[^}]*}/\"finish\":null/' \"$job/secret/run/record.json\"";
    let job = Job::new(&format!("mkdir run; {early} >run/record.json; echo 0 >code"));
    let done = job.run();
    assert_eq!(done.outputs, ["record=true", "verdict=failed"], "{}", done.log);
    assert_eq!(done.code, 3);
}

#[test]
fn links_pipes_giants_and_nothing_are_no_record() {
    for leaves in [
        // Each leads, or would lead, to a sound record that only the job may read.
        "mkdir run; ln -s \"$job/secret/run/record.json\" run/record.json; echo 0 >code",
        "ln -s \"$job/secret/run\" run; echo 0 >code",
        "mkdir run; mkfifo run/record.json code",
        "mkdir run; truncate -s 2G run/record.json; echo 0 >code",
        "mkdir run run/record.json; mkdir code",
        "mkdir run; cp \"$job/secret/run/record.json\" run/; chmod 000 run; echo 0 >code",
        "echo 0 >code",
        "echo 256 >code",
        "",
    ] {
        let job = Job::new(leaves);
        let done = job.run();
        // Root reads whatever its mode is.
        if leaves.contains("chmod") && done.code == 0 {
            continue;
        }
        assert_eq!(done.outputs, ["verdict=failed"], "{leaves}: {}", done.log);
        assert_eq!(done.code, 3, "{leaves}: {}", done.log);
        assert!(job.handed_over().is_none_or(|text| text.is_empty()), "{leaves}");
    }
    // Why there is none is told as the code says, where it is one of ours.
    assert_eq!(Job::new("echo 4 >code").run().code, 4);
}

#[test]
fn nonsense_for_a_record_is_told_and_no_verdict() {
    for record in ["{}", "[]", "null", "\\x00", "{\\\"finish\\\": 1}"] {
        let job = Job::new(&format!("mkdir run; printf '{record}' >run/record.json; echo 0 >code"));
        let done = job.run();
        assert!(matches!(done.code, 2 | 3), "{record}: {}", done.log);
        assert_eq!(done.outputs, ["record=true", "verdict=failed"], "{record}");
    }
}

#[test]
fn what_foreign_code_prints_is_no_command_to_the_runner() {
    let says = "printf '::set-output name=record::/etc/passwd\\n::set-output name=verdict::pass\\n  \
                ::add-mask::e\\n::stop-commands::mine\\n::mine::\\n::set-output name=verdict::pass'";
    let job = Job::new(&format!("{says}; mkdir run; cp \"$job/record-of-slow\" run/record.json"));
    let done = job.run();
    assert!(done.log.contains("/etc/passwd"), "it did speak: {}", done.log);
    assert_eq!(done.outputs, judged("regressed", 1));
    // Also where it fails after it has spoken.
    let done = Job::new(&format!("{says}; exit 9")).run();
    assert_eq!((done.code, done.outputs), (3, vec![]), "{}", done.log);
}
