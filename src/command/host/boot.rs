//! `shakedown host boot`.

use crate::{
    exit::Exit,
    host_text,
    output::{print, print_json},
};
use anyhow::Result;
use shakedown_host::boot;

/// Show, write or remove the boot parameters that some knobs need.
///
/// Writes a file of its own for GRUB, or edits the kernel command line of systemd-boot. Only shows
/// what it would write unless --write is given. Never reboots.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    machine: super::MachineArgs,
    #[command(flatten)]
    action: BootAction,
    /// As JSON: {loader, parameters: [{word, knob, cost, active}], file, before, after, command}
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct BootAction {
    /// Show the parameters that --write would set (the default)
    #[arg(long)]
    show: bool,
    /// Write the parameters
    #[arg(long)]
    write: bool,
    /// Remove the parameters again
    #[arg(long)]
    remove: bool,
}

/// Shows, writes or removes boot parameters.
///
/// # Errors
/// Those of [`boot::plan`] and [`boot::write`].
pub(super) fn run(args: &Args) -> Result<Exit> {
    let root = args.machine.root();
    if args.action.remove {
        let text = match boot::remove(&root)? {
            Some(file) => {
                format!("removed from /{file}; takes effect at the next boot\n")
            }
            None => "nothing to remove: this command has written no boot parameters\n".to_owned(),
        };
        print(&text)?;
        return Ok(Exit::Done);
    }
    let (plan, changed) =
        if args.action.write { boot::write(&root)? } else { (boot::plan(&root)?, false) };
    if args.json {
        print_json(&plan)?;
    } else {
        print(&host_text::boot(&plan, args.action.write, changed))?;
    }
    Ok(Exit::Done)
}
