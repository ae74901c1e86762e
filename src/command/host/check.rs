//! `shakedown host check`.

use crate::{exit::Exit, host_text};
use anyhow::Result;
use serde::Serialize;
use shakedown_host::Profile;
use shakedown_protocol::{Knob, KnobState};

/// Compare every knob with the value of a quiet host; exits with 4 if the host is not fit.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    machine: super::MachineArgs,
    /// Print JSON: {fit, epoch, knobs: [{name, found, wanted, state, fix}]}
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
}

/// Checks.
///
/// # Errors
/// If `/proc` can't be read.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let root = args.machine.root();
    let facts = shakedown_host::facts(&root)?;
    if args.json {
        let check = HostCheck { fit: facts.fit, epoch: &facts.epoch.id, knobs: &facts.knobs };
        crate::output::print_json(&check)?;
    } else {
        crate::output::print(&host_text::check(&facts, &Profile::of(&root)?))?;
    }
    let quiet = facts.knobs.iter().all(|knob| knob.state != KnobState::Differs);
    Ok(if facts.fit || args.allow_guest && quiet { Exit::Done } else { Exit::Host })
}
