//! What the integration tests share.
#![allow(dead_code, reason = "each test binary uses its part of it")]

pub mod job;
pub mod machine;
pub mod mini;
pub mod nights;
pub mod release;
pub mod toy;
pub mod upstream;

use assert_cmd::Command;
use shakedown_protocol::RunRecord;
use std::path::{Path, PathBuf};

/// The stack that does nothing, as a subject.
pub const NOOP: &str = "noop@path:bench/drivers/noop";

/// The project's folder.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The command, called from the project's folder, with a lock of its own so that tests don't
/// wait for each other or for a run of the user's.
pub fn shakedown(folder: &Path) -> Command {
    let mut command = Command::cargo_bin("shakedown").expect("the command is built");
    command.current_dir(root()).env("SHAKEDOWN_LOCK", folder.join("lock"));
    command
}

/// Measures with `shakedown run`, and gives the record that it leaves.
pub fn measured(environment: &[(&str, PathBuf)], arguments: &[&str]) -> RunRecord {
    let folder = tempfile::tempdir().expect("there is room");
    let out = folder.path().join("run");
    let mut command = shakedown(folder.path());
    command.envs(environment.iter().cloned()).arg("run").args(arguments).arg("--out").arg(&out);
    command.assert().success();
    record(&out)
}

/// Reads the record in a run's folder.
pub fn record(out: &Path) -> RunRecord {
    let text = std::fs::read_to_string(out.join("record.json")).expect("there is a record");
    RunRecord::from_json(&text).expect("the record is sound")
}

/// Every trial has numbers.
pub fn all_measured(record: &RunRecord) {
    assert!(!record.trials.is_empty());
    for trial in &record.trials {
        assert!(trial.measured().is_some(), "{}: {:?}", trial.scenario, trial.outcome);
    }
}

/// Files of a folder, sorted.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    files.sort();
    files
}
