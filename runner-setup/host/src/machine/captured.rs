//! Captured trees of machines.

use super::Machine;
use std::{
    fs, io,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{ExitStatus, Output},
};

/// A captured tree. Reading it works as on the machine that it was captured on; changing it
/// does not.
#[derive(Debug)]
pub(crate) struct CapturedTree(pub PathBuf);

fn read_only() -> io::Error {
    io::Error::new(
        io::ErrorKind::ReadOnlyFilesystem,
        "a captured tree can be read, not changed: run this without --root, on the machine itself",
    )
}

impl Machine for CapturedTree {
    fn folder(&self) -> &Path {
        &self.0
    }

    fn write(&self, _: &str, _: &str) -> io::Result<()> {
        Err(read_only())
    }

    fn create_cgroup(&self, _: &str) -> io::Result<()> {
        Err(read_only())
    }

    fn remove_cgroup(&self, _: &str) -> io::Result<()> {
        Err(read_only())
    }

    fn replace_file(&self, _: &str, _: &str) -> io::Result<()> {
        Err(read_only())
    }

    fn remove_file(&self, _: &str) -> io::Result<()> {
        Err(read_only())
    }

    fn run(&self, program: &str, arguments: &[&str]) -> io::Result<Output> {
        unit_states(&self.0, program, arguments).ok_or_else(read_only)
    }

    fn swap_on(&self, _: &str, _: Option<i32>) -> io::Result<()> {
        Err(read_only())
    }

    fn swap_off(&self, _: &str) -> io::Result<()> {
        Err(read_only())
    }

    fn before_change(&self) -> io::Result<()> {
        Err(read_only())
    }
}

/// The answer of `systemctl show` for the units of a captured tree, which keeps the state of each
/// in `systemd/NAME`: `active`, `inactive`, `masked` or `masked active`.
pub(crate) fn unit_states(folder: &Path, program: &str, arguments: &[&str]) -> Option<Output> {
    let names = match arguments {
        ["show", rest @ ..] if program == "systemctl" => {
            rest.iter().filter(|a| !a.starts_with('-'))
        }
        _ => return None,
    };
    let mut text = String::new();
    for name in names {
        let state = fs::read_to_string(folder.join("systemd").join(name)).unwrap_or_default();
        let state: Vec<&str> = state.split_whitespace().collect();
        let load = match state.as_slice() {
            [] => "not-found",
            state if state.contains(&"masked") => "masked",
            _ => "loaded",
        };
        let active = if state.contains(&"active") { "active" } else { "inactive" };
        text.push_str(&format!(
            "Id={name}\nLoadState={load}\nActiveState={active}\nUnitFileState=\n\n"
        ));
    }
    Some(Output { status: ExitStatus::from_raw(0), stdout: text.into_bytes(), stderr: vec![] })
}
