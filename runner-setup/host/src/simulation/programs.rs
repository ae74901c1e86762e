//! The programs that are called on a machine: systemd's, and those of the boot loaders.

use super::{ENOENT, SimulatedMachine, errno, put};
use crate::machine::{Machine, unit_states};
use std::{
    fs, io,
    os::unix::process::ExitStatusExt,
    process::{ExitStatus, Output},
};

/// Where systemd keeps units that were made while it runs.
const TRANSIENT: &str = "run/systemd/transient";

/// Runs a program; one that is not modelled is not installed.
pub(super) fn run(
    machine: &SimulatedMachine,
    program: &str,
    arguments: &[&str],
) -> io::Result<Output> {
    if let Some(output) = unit_states(&machine.folder, program, arguments) {
        return Ok(output);
    }
    match (program, arguments) {
        ("systemctl", [verb, .., name]) => systemctl(machine, verb, arguments, name)?,
        ("systemd-run", options) => {
            let name = options.iter().find_map(|option| option.strip_prefix("--unit="));
            fs::create_dir_all(machine.tree.path(TRANSIENT))?;
            put(&machine.tree, &format!("{TRANSIENT}/{}", name.unwrap_or("run-1.service")), "")?;
        }
        ("update-grub" | "grub-mkconfig" | "kernel-install", _) => {}
        _ => return Err(errno(ENOENT)),
    }
    Ok(Output { status: ExitStatus::from_raw(0), stdout: vec![], stderr: vec![] })
}

fn systemctl(
    machine: &SimulatedMachine,
    verb: &str,
    options: &[&str],
    name: &str,
) -> io::Result<()> {
    let file = format!("systemd/{name}");
    let state = machine.tree.read(&file).unwrap_or_default();
    let (masked, active) = (state.starts_with("masked"), state.ends_with("active"));
    let active = active && !state.ends_with("inactive");
    let set = |masked, active| {
        let state = match (masked, active) {
            (true, true) => "masked active",
            (true, false) => "masked",
            (false, true) => "active",
            (false, false) => "inactive",
        };
        put(&machine.tree, &file, state)
    };
    match verb {
        "mask" => {
            set(true, active)?;
            if options.contains(&"--now") {
                // Two steps of systemd, and a crash may come between them.
                machine.before_change()?;
                set(true, false)?;
            }
            Ok(())
        }
        "unmask" => set(false, active),
        "start" if masked => Err(io::Error::other(format!("Unit {name} is masked."))),
        "start" => set(false, true),
        "stop" if machine.tree.has(&format!("{TRANSIENT}/{name}")) => {
            fs::remove_file(machine.tree.path(&format!("{TRANSIENT}/{name}")))?;
            // Only if it is empty: what was captured stays.
            let _ = fs::remove_dir(machine.tree.path(TRANSIENT));
            Ok(())
        }
        "stop" => set(masked, false),
        _ => Err(errno(ENOENT)),
    }
}
