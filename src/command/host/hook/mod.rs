//! `shakedown host hook`: what the GitHub Actions runner calls before and after each job.

mod completed;
mod helper;
mod hold;
mod started;

use crate::exit::Exit;
use anyhow::Result;
use clap::ValueHint;
use std::{collections::BTreeMap, io::Write, path::PathBuf};

/// Admits or refuses a job, and cleans up behind it.
#[derive(Debug, clap::Args)]
#[command(
    long_about = "Admits or refuses a job of GitHub Actions, and cleans up behind it. The runner's service \
        sets ACTIONS_RUNNER_HOOK_JOB_STARTED and ACTIONS_RUNNER_HOOK_JOB_COMPLETED to scripts that \
        call this; see docs/operating.md.",
    after_help = "A refused job fails with the reasons in its log: exit code 2 if it may not run here \
        at all, 4 if the host is busy or not fit."
)]
pub(super) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Before a job's first step: tune and hold the host, and admit or refuse the job
    JobStarted(HookArgs),
    /// After a job's last step: kill leftover processes, empty its folder, restore the host
    JobCompleted(HookArgs),
    /// Hold the host until this process is killed; started by job-started
    #[command(hide = true)]
    Hold(hold::Args),
}

/// Where the operator's policy is, and which machine this is.
#[derive(Debug, clap::Args)]
struct HookArgs {
    /// Policy of the operator
    #[arg(long, value_name = "FILE", default_value = "/etc/shakedown/runner.toml", value_hint = ValueHint::FilePath)]
    policy: PathBuf,
    #[command(flatten)]
    machine: super::MachineArgs,
}

/// Does what the verb says.
///
/// # Errors
/// Whatever stops it; a job whose hook fails does not run.
pub(super) fn run(args: &Args) -> Result<Exit> {
    match &args.verb {
        Verb::JobStarted(args) => started::run(args),
        Verb::JobCompleted(args) => completed::run(args),
        Verb::Hold(args) => hold::run(args),
    }
}

/// The environment, as far as it is text.
fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}

/// Puts a line into the job's log that its page shows as an annotation.
fn annotate(kind: &str, text: &str) {
    // A workflow command is one line; these characters would end it.
    let text = text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A");
    say(&format!("::{kind} title=Shakedown host::{text}"));
}

/// Puts a line into the job's log. Whoever reads it may be gone already, and was perhaps a
/// leftover that we killed: that is no reason not to clean up.
fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
}
