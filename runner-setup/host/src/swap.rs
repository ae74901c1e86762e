//! Swap, device by device.

use crate::HostRoot;
use std::{ffi::CString, io, path::Path};

/// One line of `/proc/swaps`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    device: String,
    priority: i32,
}

/// What is swapped to.
pub(crate) fn devices(root: &HostRoot) -> io::Result<Option<Vec<String>>> {
    Ok(root
        .try_read("proc/swaps")?
        .map(|text| lines(&text).into_iter().map(|line| line.device).collect()))
}

fn lines(text: &str) -> Vec<Line> {
    let line = |line: &str| {
        let mut fields = line.split_whitespace();
        // The kernel writes a space in a name as \040.
        let device = fields.next()?.replace("\\040", " ");
        Some(Line { device, priority: fields.last()?.parse().ok()? })
    };
    text.lines().skip(1).filter_map(line).collect()
}

/// `off`, `on`, or `on PRIORITY` where somebody chose one.
pub(crate) fn state(root: &HostRoot, device: &str) -> io::Result<String> {
    let text = root.try_read("proc/swaps")?.unwrap_or_default();
    let found = lines(&text).into_iter().find(|line| line.device == device);
    Ok(match found {
        None => "off".to_owned(),
        // Negative ones come from the kernel, in order of arrival.
        Some(Line { priority, .. }) if priority < 0 => "on".to_owned(),
        Some(Line { priority, .. }) => format!("on {priority}"),
    })
}

/// Switches a device.
pub(crate) fn set(root: &HostRoot, device: &str, state: &str) -> io::Result<()> {
    root.step()?;
    if root.is_captured() {
        return set_captured(root, device, state);
    }
    let name = CString::new(device).map_err(io::Error::other)?;
    let result = match state.strip_prefix("on") {
        // SAFETY: `name` is a C string that lives over the call.
        None => unsafe { libc::swapoff(name.as_ptr()) },
        // SAFETY: as above.
        Some(priority) => unsafe { libc::swapon(name.as_ptr(), flags(priority)) },
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn flags(priority: &str) -> libc::c_int {
    const PREFER: libc::c_int = 0x8000;
    priority.trim().parse::<libc::c_int>().map_or(0, |number| PREFER | number & 0x7fff)
}

fn set_captured(root: &HostRoot, device: &str, state: &str) -> io::Result<()> {
    let text = root.try_read("proc/swaps")?.unwrap_or_default();
    let header = text.lines().next().unwrap_or_default().to_owned();
    let others = text.lines().skip(1).filter(|line| !line.starts_with(device)).map(str::to_owned);
    let mut all: Vec<String> = others.collect();
    if let Some(priority) = state.strip_prefix("on") {
        let priority = if priority.is_empty() { "-2" } else { priority.trim() };
        let kind = if Path::new(device).starts_with("/dev") { "partition" } else { "file" };
        all.push(format!("{device}\t{kind}\t8388604\t0\t{priority}"));
        all.sort();
    }
    all.insert(0, header);
    crate::model::put(root, "proc/swaps", &all.join("\n"))
}
