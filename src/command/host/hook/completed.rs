//! After a job's last step.

use super::{HookArgs, annotate, helper, say};
use crate::exit::{CommandError, Exit};
use anyhow::Result;
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use shakedown_host::admission::{
    AdmissionPolicy, BetweenJobs, ancestors, kill_processes, own_cgroup, wipe,
};
use std::{path::Path, time::Duration};

/// How long a process may take to die.
const PATIENCE: Duration = Duration::from_secs(10);
/// What the runner itself still reads after this hook.
const RUNNERS_OWN: [&str; 1] = ["_temp"];
/// Where the benchmark CPUs are kept free; nobody else is there while a job holds the host.
const PARTITION: &str = "sys/fs/cgroup/shakedown";
const HOOKS_OWN: [&str; 1] = ["_runner_file_commands"];

/// Cleans up. Goes on after a failure, so that as much as possible is clean.
///
/// # Errors
/// If something could not be cleaned up: the job is marked as failed, and the service empties
/// the rest when the runner ends.
pub(super) fn run(args: &HookArgs) -> Result<Exit> {
    let policy = AdmissionPolicy::load(&args.policy)?;
    let mut trouble = Vec::new();
    let holder = holder(&policy.lock);
    let mut spared = ancestors(std::process::id());
    spared.extend(holder);
    match own_cgroup(&args.machine.root(), &policy.unit) {
        Ok(cgroup) => {
            // A run that measures has gone over to the cgroup of the benchmark CPUs.
            for folder in [cgroup, args.machine.root().path(PARTITION)] {
                let report = kill_processes(&folder, &spared, PATIENCE);
                if !report.killed.is_empty() {
                    let killed = report.killed.join(", ");
                    annotate("warning", &format!("killed what the job left running: {killed}"));
                }
                trouble.extend(
                    report.surviving.iter().map(|process| format!("{process} does not die")),
                );
            }
        }
        Err(error) => trouble.push(error.to_string()),
    }
    // What its runs say of the host is kept: the trend of its noise.
    if policy.health.is_dir()
        && let Err(error) = shakedown_host::health::keep(&policy.health, &policy.work)
    {
        say(&format!("the runs' health is not kept: {error}"));
    }
    let mut stuck = wipe(&policy.work, &RUNNERS_OWN);
    stuck.extend(wipe(&policy.work.join("_temp"), &HOOKS_OWN));
    trouble.extend(
        stuck.iter().map(|(path, error)| format!("can't remove {}: {error}", path.display())),
    );
    if policy.between_jobs == BetweenJobs::Restored {
        match helper::ask(&policy.helper, "restore") {
            Ok(answer) if answer.code == 0 => {}
            Ok(answer) => {
                trouble.push(format!("restore ended with {}: {}", answer.code, answer.text));
            }
            Err(error) => trouble.push(format!("{error:#}")),
        }
    }
    if let Some(pid) = holder.and_then(|pid| i32::try_from(pid).ok()) {
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
    }
    if trouble.is_empty() {
        say("clean");
        return Ok(Exit::Done);
    }
    annotate("error", &trouble.join("\n"));
    Err(CommandError::new(Exit::Host, trouble.join("; ")).into())
}

/// The process that holds the host for this job, from the note in the lock, if it is the runner's.
fn holder(lock: &Path) -> Option<u32> {
    let note: shakedown_schedule::LockHolder =
        serde_json::from_str(&std::fs::read_to_string(lock).ok()?).ok()?;
    let arguments = std::fs::read(format!("/proc/{}/cmdline", note.pid)).ok()?;
    let is_ours = arguments.split(|byte| *byte == 0).skip(1).map(String::from_utf8_lossy).take(3);
    is_ours.eq(["host", "hook", "hold"]).then_some(note.pid)
}
