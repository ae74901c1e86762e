//! `shakedown host runner-update`.

use super::MachineArgs;
use crate::{
    clock::now_ms,
    exit::Exit,
    output::print,
    runner_update::{RunnerUpdate, switch_to_staged},
};
use anyhow::Result;
use clap::ValueHint;
use std::path::PathBuf;

/// Install the newest GitHub Actions runner, or say how old the installed one is.
///
/// GitHub gives no jobs to a runner that is more than 30 days behind a newer release. The archive's
/// SHA-256 must be the one that GitHub's API gives for the file, and the one in the release's text; where
/// one of them is missing, the other one. It is unpacked beside the runner in use. The next job gets it; the
/// previous runner is kept as runner.previous. The service is restarted if no job has the host. While one has it,
/// nothing is downloaded before the alarm is on.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Exits with 4 where the alarm is on: 10 days before GitHub refuses the runner."
)]
pub(super) struct Args {
    #[command(flatten)]
    machine: MachineArgs,
    /// Look for releases and install nothing
    #[arg(long, conflicts_with = "staged")]
    check: bool,
    /// Switch to what is unpacked already, without looking for releases: between two jobs
    #[arg(long)]
    staged: bool,
    /// Do not restart the service
    #[arg(long)]
    no_restart: bool,
    /// API that knows the releases
    #[arg(long, value_name = "URL", default_value = "https://api.github.com")]
    releases_api: String,
    /// The host's lock: nobody may have it while the service is restarted
    #[arg(long, value_name = "FILE", default_value = "/run/lock/shakedown.lock", value_hint = ValueHint::FilePath)]
    lock: PathBuf,
}

/// Updates.
///
/// # Errors
/// If no runner is installed; errors of GitHub; an archive that is not what was published.
pub(super) fn run(args: Args) -> Result<Exit> {
    let root = args.machine.root();
    if args.staged {
        switch_to_staged(&root)?;
        return Ok(Exit::Done);
    }
    let update = RunnerUpdate {
        root,
        check: args.check,
        restart: !args.no_restart,
        releases_api: args.releases_api,
        lock: args.lock,
    };
    let age = update.run()?;
    print(&format!("{}\n", age.line(now_ms()?)))?;
    Ok(if age.is_alarm() { Exit::Host } else { Exit::Done })
}
