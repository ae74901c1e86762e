//! `shakedown host boot`.

use crate::{
    exit::Exit,
    output::{print, print_json},
};
use anyhow::Result;
use shakedown_host::boot::{self, Plan};
use std::fmt::Write;

/// Boot parameters that some knobs need to be so from the start.
///
/// Goes into a file of its own for GRUB, or into the line of systemd-boot. Shows what it would
/// do unless it is told to do it, and never boots: that is yours to do.
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
    /// Write it
    #[arg(long)]
    write: bool,
    /// Take it back
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
                format!("/{file}: ours is taken out of it; it counts from the next boot on\n")
            }
            None => "nothing to remove: no boot parameters of ours\n".to_owned(),
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

fn text(plan: &Plan, write: bool, changed: bool) -> String {
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
        (false, _) if same => "nothing to change: it says so already".to_owned(),
        (false, _) => format!("nothing is written; --write writes it and calls `{command}`"),
        (true, false) => "nothing to change: it says so already".to_owned(),
        (true, true) => "written; reboot when it suits you".to_owned(),
    };
    let _ = writeln!(text, "\n{done}");
    text
}
