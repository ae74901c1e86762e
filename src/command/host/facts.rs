//! `shakedown host facts`.

use crate::{exit::Exit, output::print_json};
use anyhow::Result;

/// Prints everything that a run record says of this host, as JSON.
///
/// Where a runner's helper is installed, whoever is not root gets what root sees: what is
/// measured by a runner or in a sandbox belongs to the same epoch.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    machine: super::MachineArgs,
}

/// Prints.
///
/// # Errors
/// If `/proc` can't be read.
pub(super) fn run(args: &Args) -> Result<Exit> {
    print_json(&shakedown_host::facts(&args.machine.root())?)?;
    Ok(Exit::Done)
}
