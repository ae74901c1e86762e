//! Services and timers of systemd. In a captured tree, `systemd/NAME` holds the state.

use crate::HostRoot;
use std::{io, process::Command};

/// Masked, but still at work: between the two halves of masking.
pub(crate) const HALF: &str = "masked active";

/// The states of those units that the machine has.
pub(crate) fn states(root: &HostRoot, names: &[&str]) -> io::Result<Vec<(String, String)>> {
    if root.is_captured() {
        let state =
            |name: &&str| Some((String::from(*name), root.read(&format!("systemd/{name}"))?));
        return Ok(names.iter().filter_map(state).collect());
    }
    if names.is_empty() || !has_systemd(root) {
        return Ok(vec![]);
    }
    let mut command = Command::new("systemctl");
    command.args(["show", "--property=Id,LoadState,ActiveState,UnitFileState", "--"]).args(names);
    let output = command.output()?;
    Ok(parse(&String::from_utf8_lossy(&output.stdout)))
}

/// Whether systemd runs this machine.
pub(crate) fn has_systemd(root: &HostRoot) -> bool {
    root.has(if root.is_captured() { "systemd" } else { "run/systemd/system" })
}

/// Calls one of systemd's programs, which must succeed.
pub(crate) fn call(program: &str, arguments: &[&str]) -> io::Result<()> {
    let output = Command::new(program).args(arguments).output()?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(io::Error::other(format!("{program} {}: {said}", arguments.join(" "))))
}

/// Reads what `systemctl show` says: a paragraph a unit.
fn parse(text: &str) -> Vec<(String, String)> {
    text.split("\n\n").filter_map(one).collect()
}

fn one(paragraph: &str) -> Option<(String, String)> {
    let field = |name: &str| {
        paragraph.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('=')).unwrap_or("")
    };
    let name = field("Id");
    let load = field("LoadState");
    if name.is_empty() || load == "not-found" {
        return None;
    }
    let active = matches!(field("ActiveState"), "active" | "activating" | "reloading");
    let masked = load == "masked" || field("UnitFileState").starts_with("masked");
    let state = match (masked, active) {
        (true, true) => HALF,
        (true, false) => "masked",
        (false, true) => "active",
        (false, false) => "inactive",
    };
    Some((name.to_owned(), state.to_owned()))
}

/// Sets a unit's state. Masks until the next boot only.
pub(crate) fn set(root: &HostRoot, name: &str, state: &str) -> io::Result<()> {
    let steps: &[&[&str]] = match state {
        "masked" => &[&["mask", "--runtime", "--now"]],
        "active" => &[&["unmask", "--runtime"], &["start"]],
        _ => &[&["unmask", "--runtime"], &["stop"]],
    };
    if root.is_captured() {
        root.step()?;
        return crate::model::put(root, &format!("systemd/{name}"), state);
    }
    for step in steps {
        root.step()?;
        call("systemctl", &[*step, &["--", name]].concat())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_systemctl_says_is_told_in_three_words() {
        let text = "Id=cron.service\nLoadState=loaded\nActiveState=active\nUnitFileState=enabled\n\n\
            Id=apt-daily.timer\nLoadState=masked\nActiveState=inactive\nUnitFileState=masked-runtime\n\n\
            Id=snapd.service\nLoadState=not-found\nActiveState=inactive\nUnitFileState=\n\n\
            Id=fstrim.timer\nLoadState=masked\nActiveState=active\nUnitFileState=masked-runtime\n\n\
            Id=man-db.timer\nLoadState=loaded\nActiveState=failed\nUnitFileState=static\n";
        let told: Vec<String> = parse(text).into_iter().map(|(n, s)| format!("{n} {s}")).collect();
        assert_eq!(
            told,
            [
                "cron.service active",
                "apt-daily.timer masked",
                "fstrim.timer masked active",
                "man-db.timer inactive"
            ]
        );
        assert!(parse("").is_empty());
    }
}
