//! Swap, device by device.

use crate::HostRoot;
use std::io;

/// One line of `/proc/swaps`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SwapLine {
    device: String,
    priority: i32,
}

/// Devices and files in use for swap.
pub(crate) fn devices(root: &HostRoot) -> io::Result<Option<Vec<String>>> {
    Ok(root
        .try_read("proc/swaps")?
        .map(|text| lines(&text).into_iter().map(|line| line.device).collect()))
}

fn lines(text: &str) -> Vec<SwapLine> {
    let line = |line: &str| {
        let mut fields = line.split_whitespace();
        // The kernel writes a space in a name as \040.
        let device = fields.next()?.replace("\\040", " ");
        Some(SwapLine { device, priority: fields.last()?.parse().ok()? })
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
        Some(SwapLine { priority, .. }) if priority < 0 => "on".to_owned(),
        Some(SwapLine { priority, .. }) => format!("on {priority}"),
    })
}

/// Switches a device to a state as [`state`] returns it.
pub(crate) fn set(root: &HostRoot, device: &str, state: &str) -> io::Result<()> {
    match state.strip_prefix("on") {
        None => root.swap_off(device),
        Some(priority) => root.swap_on(device, priority.trim().parse().ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TestMachine;

    #[test]
    fn switching_one_device_leaves_another_whose_name_starts_the_same() {
        let machine = TestMachine::new("vm");
        let swaps = "Filename\tType\tSize\tUsed\tPriority\n\
            /dev/vda1\tpartition\t8388604\t0\t-2\n/dev/vda10\tpartition\t8388604\t0\t-3";
        machine.put("proc/swaps", swaps);
        set(&machine.root, "/dev/vda1", "off").unwrap();
        assert_eq!(devices(&machine.root).unwrap().unwrap(), ["/dev/vda10"]);
        set(&machine.root, "/dev/vda1", "on").unwrap();
        assert_eq!(devices(&machine.root).unwrap().unwrap(), ["/dev/vda1", "/dev/vda10"]);
    }
}
