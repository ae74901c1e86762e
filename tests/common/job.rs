//! A job on a host, up to a step that has foreign code measured; the sandbox is a script of the test.

use super::root;
use shakedown_protocol::fixture::comparison::comparison;
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

/// The scenario of its records.
pub const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";

/// A job on a host, up to a step that has foreign code measured.
#[derive(Debug)]
pub struct Job {
    folder: tempfile::TempDir,
}

/// What the step came to.
#[derive(Debug)]
pub struct Done {
    /// Its exit code.
    pub code: i32,
    /// What it printed.
    pub log: String,
    /// Its outputs, as the runner takes them: from the file, and from commands in the log.
    pub outputs: Vec<String>,
}

impl Job {
    /// In which foreign code leaves what `leaves`, a script, leaves in the folder that it is given.
    pub fn new(leaves: &str) -> Self {
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

    /// Writes a program.
    pub fn script(&self, name: &str, text: &str) {
        fs::write(self.at(name), format!("#!/usr/bin/env bash\n{text}")).unwrap();
        fs::set_permissions(self.at(name), fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// A place in its folder.
    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A sound record whose server has this factor.
    pub fn record(&self, factor: f64) -> String {
        serde_json::to_string(&comparison(&[(FULL, [1.0, factor])])).unwrap()
    }

    /// Runs the command in its folder, which must succeed.
    pub fn shakedown(&self, arguments: &[&str]) {
        let call = Command::new(self.at("bin/shakedown"))
            .args(arguments)
            .current_dir(self.folder.path())
            .output()
            .unwrap();
        assert!(call.status.success(), "{call:?}");
    }

    /// Runs the step that compares.
    pub fn run(&self) -> Done {
        self.step("compare", &[("SUBJECT", "subject"), ("STACK", "rustls+ring"), ("SUITE", "pr")])
    }

    /// Runs a script of the workflows, with arguments if it has some, and with these variables.
    pub fn step(&self, script: &str, variables: &[(&str, &str)]) -> Done {
        let mut words = script.split(' ');
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{path}", self.at("bin").display());
        fs::write(self.at("output"), "").unwrap();
        let done = Command::new("timeout")
            .args(["60", "bash"])
            .arg(root().join("scripts/workflow").join(words.next().unwrap()))
            .args(words)
            .current_dir(self.folder.path())
            .env("PATH", path)
            .env("SHAKEDOWN_SANDBOX", self.at("sandbox"))
            .env("GITHUB_STEP_SUMMARY", self.at("summary"))
            .env("SHAKEDOWN_ROOT", self.at("tool"))
            .env("GITHUB_OUTPUT", self.at("output"))
            .env_remove("ACTIONS_RUNNER_HOOK_JOB_STARTED")
            .envs(variables.iter().copied())
            .output()
            .unwrap();
        let log = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
        let mut outputs: Vec<String> =
            fs::read_to_string(self.at("output")).unwrap().lines().map(str::to_owned).collect();
        outputs.extend(heard(&log));
        Done { code: done.status.code().unwrap(), log, outputs }
    }

    /// What the step that uploads would take.
    pub fn handed_over(&self) -> Option<String> {
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
