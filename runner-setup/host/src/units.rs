//! Services and timers of systemd.

use crate::HostRoot;
use std::io;

/// Masked, but still at work: between the two halves of masking.
pub(crate) const HALF: &str = "masked active";

/// The states of those units that the machine has.
pub(crate) fn states(root: &HostRoot, names: &[&str]) -> io::Result<Vec<(String, String)>> {
    if names.is_empty() || !has_systemd(root) {
        return Ok(vec![]);
    }
    let options = ["show", "--property=Id,LoadState,ActiveState,UnitFileState", "--"];
    let output = root.query("systemctl", &[&options, names].concat())?;
    Ok(parse(&String::from_utf8_lossy(&output.stdout)))
}

/// Whether systemd runs this machine: see `sd_booted(3)`.
pub(crate) fn has_systemd(root: &HostRoot) -> bool {
    root.has("run/systemd/system")
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
    steps.iter().try_for_each(|step| root.call("systemctl", &[*step, &["--", name]].concat()))
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
