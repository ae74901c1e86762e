//! `shakedown host boot`.

use crate::{
    exit::Exit,
    output::{print, print_json},
};
use anyhow::Result;
use shakedown_host::boot::{self, BootPlan};
use std::fmt::Write;

/// Show, write or remove the boot parameters that some knobs need.
///
/// Writes a file of its own for GRUB, or edits the kernel command line of systemd-boot. Only shows
/// what it would write unless --write is given. Never reboots.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    machine: super::Machine,
    #[command(flatten)]
    action: Action,
    /// As JSON: {loader, parameters: [{word, knob, cost, active}], file, before, after, command}
    #[arg(long)]
    json: bool,
}

#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct Action {
    /// Show what would be written (the default)
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
        print(&text(&plan, args.action.write, changed))?;
    }
    Ok(Exit::Done)
}

fn text(plan: &BootPlan, write: bool, changed: bool) -> String {
    let mut text = String::new();
    for parameter in &plan.parameters {
        let active = if parameter.active { "active" } else { "not in this boot" };
        let _ = writeln!(
            text,
            "{:<28} {active:<17} for {}; costs {}",
            parameter.word, parameter.knob, parameter.cost
        );
    }
    let _ = writeln!(text, "\n/{}:", plan.file);
    for line in plan.after.lines() {
        let _ = writeln!(text, "  {line}");
    }
    let command = plan.command.join(" ");
    let same = plan.before.as_deref() == Some(plan.after.trim_end());
    let done = match (write, changed) {
        (false, _) if same => "nothing to change: the file is up to date".to_owned(),
        (false, _) => format!("nothing written; --write writes it and runs `{command}`"),
        (true, false) => "nothing to change: the file is up to date".to_owned(),
        (true, true) => "written; takes effect at the next boot".to_owned(),
    };
    let _ = writeln!(text, "\n{done}");
    text
}
