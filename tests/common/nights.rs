//! A history of nights, made from one real run of the stack that does nothing.

use super::{NOOP, measured, shakedown};
use serde_json::Value;
use shakedown_protocol::{Meter, RunRecord, TrialOutcome};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::OnceLock,
};

/// A day, in milliseconds.
pub const DAY: u64 = 86_400_000;
/// When the first night began: 2026-10-01.
pub const START: u64 = 1_790_812_800_000;
/// How little is measured, as arguments of `shakedown run`.
pub const SMALL: [&str; 6] = ["--suite", "smoke", "--only", SCENARIO, "--blocks", "1"];
/// What the nights measure.
pub const SCENARIO: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";

/// One run of the stack that does nothing, measured once for all tests of a file.
pub fn run() -> &'static RunRecord {
    static RUN: OnceLock<RunRecord> = OnceLock::new();
    RUN.get_or_init(|| measured(&[], &[&SMALL[..], &[NOOP]].concat()))
}

/// The record of a night: the same run on another day, with `factor` times the bytes on the
/// wire.
pub fn night(number: u64, factor: u64) -> RunRecord {
    let mut night = run().clone();
    night.id = format!("night-{number}");
    night.started_ms = START + number * DAY;
    for trial in night.trials.iter_mut().filter(|trial| trial.meter == Meter::Heap) {
        if let TrialOutcome::Measured(measured) = &mut trial.outcome
            && let Some(wire) = &mut measured.wire
        {
            wire.client.bytes *= factor;
        }
    }
    night
}

/// A history in a folder of its own.
pub struct History {
    folder: tempfile::TempDir,
    environment: Vec<(&'static str, PathBuf)>,
}

impl History {
    /// The id of the suspect in a count of the client. A busy machine may have moved times as well.
    pub fn client_suspect(&self) -> String {
        let found = self.json(&["history", "changes"]);
        let mine = |one: &&Value| {
            let count = one["series"]["unit"].as_str().is_some_and(|unit| unit.ends_with("/op"));
            count && one["series"]["side"] == "client"
        };
        let one = found.as_array().unwrap().iter().find(mine).expect("a suspect of the client");
        one["id"].as_str().unwrap().to_owned()
    }

    /// Without a run in it.
    pub fn new() -> Self {
        let folder = tempfile::tempdir().expect("there is room");
        Self { folder, environment: Vec::new() }
    }

    /// Sets these for every call of the command.
    pub fn with_environment(mut self, environment: Vec<(&'static str, PathBuf)>) -> Self {
        self.environment = environment;
        self
    }

    /// With a change for the worse in the tenth of thirteen nights.
    pub fn with_a_change() -> Self {
        let history = Self::new();
        history.add((0..13).map(|number| night(number, if number < 9 { 1 } else { 2 })));
        history
    }

    /// A path beside the history.
    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The history's own folder.
    pub fn dir(&self) -> PathBuf {
        self.at("history")
    }

    /// Adds records with the command.
    pub fn add(&self, records: impl IntoIterator<Item = RunRecord>) {
        let mut command = shakedown(self.folder.path());
        command.env("SHAKEDOWN_HISTORY", self.dir()).args(["history", "add"]);
        for record in records {
            let path = self.at(&format!("{}.json", record.id));
            fs::write(&path, serde_json::to_string(&record).expect("it is JSON")).expect("room");
            command.arg(path);
        }
        command.assert().success();
    }

    /// Calls the command with the history's folder.
    pub fn call(&self, arguments: &[&str]) -> assert_cmd::assert::Assert {
        let mut command = shakedown(self.folder.path());
        command.envs(self.environment.clone()).env("SHAKEDOWN_HISTORY", self.dir());
        command.args(arguments).assert()
    }

    /// What the command prints.
    pub fn text(&self, arguments: &[&str]) -> String {
        let output = self.call(arguments).success();
        String::from_utf8(output.get_output().stdout.clone()).expect("it is text")
    }

    /// What the command prints as JSON.
    pub fn json(&self, arguments: &[&str]) -> Value {
        self.json_and_exit(arguments, 0)
    }

    /// What the command prints as JSON when it ends with this code.
    pub fn json_and_exit(&self, arguments: &[&str], code: i32) -> Value {
        let output = self.call(&[arguments, &["--json"]].concat()).code(code);
        serde_json::from_slice(&output.get_output().stdout).expect("it is JSON")
    }
}

/// The types in a JSON value, field by field; of a list, those of its first element.
pub fn shape(value: &Value) -> Value {
    match value {
        Value::Null => "null".into(),
        Value::Bool(_) => "bool".into(),
        Value::Number(_) => "number".into(),
        Value::String(_) => "text".into(),
        Value::Array(all) => Value::Array(all.first().map(shape).into_iter().collect()),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, v)| (name.clone(), shape(v))).collect())
        }
    }
}

/// A file's path as an argument.
pub fn argument(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}
