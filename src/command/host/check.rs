//! `shakedown host check`.

use crate::{exit::Exit, host_text};
use anyhow::Result;
use serde::Serialize;
use shakedown_host::{Profile, RunnerAge};
use shakedown_protocol::{HostFacts, Knob, KnobState};

/// Compare every knob with the value of a quiet host; exits with 4 if the host is not fit.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    machine: super::MachineArgs,
    /// Print JSON: {fit, epoch, knobs: [{name, found, wanted, state, fix}], runner: {version, newest,
    /// checked_ms, refused_from_ms, state}}; `runner` is null where there is none
    #[arg(long)]
    json: bool,
    /// Accept a virtual machine if its knobs are as wanted
    #[arg(long)]
    allow_guest: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct HostCheck<'a> {
    fit: bool,
    epoch: &'a str,
    knobs: &'a [Knob],
    runner: Option<&'a RunnerAge>,
}

/// Checks.
///
/// # Errors
/// If `/proc` can't be read.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let root = args.machine.root();
    let facts = shakedown_host::facts(&root)?;
    let now_ms = crate::clock::now_ms()?;
    let runner = RunnerAge::of(&root, now_ms);
    if args.json {
        let HostFacts { fit, epoch, knobs, .. } = &facts;
        let check = HostCheck { fit: *fit, epoch: &epoch.id, knobs, runner: runner.as_ref() };
        crate::output::print_json(&check)?;
    } else {
        let runner = runner.map(|age| age.line(now_ms) + "\n").unwrap_or_default();
        crate::output::print(&(host_text::check(&facts, &Profile::of(&root)?) + &runner))?;
    }
    let quiet = facts.knobs.iter().all(|knob| knob.state != KnobState::Differs);
    Ok(if facts.fit || args.allow_guest && quiet { Exit::Done } else { Exit::Host })
}
