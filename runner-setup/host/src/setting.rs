//! Things that can be read and set: files of the kernel, units of systemd, swap, the cgroup of
//! the benchmark CPUs. All of them as text, so that one journal holds all of them.

use crate::{HostRoot, ValueFormat, partition, swap, units};
use std::{fmt, io, str::FromStr};

/// One thing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Setting {
    /// A file, without the leading slash.
    File { path: String, format: ValueFormat },
    /// A service or a timer: `active`, `inactive` or `masked`.
    Unit(String),
    /// A device that is swapped to: `on` or `off`.
    Swap(String),
    /// The cpuset controller for the groups at the top: `off`, `on`, or `held` where systemd
    /// keeps it on.
    Controller,
    /// The benchmark CPUs' cgroup: `none`, `isolated LIST` or `cpuset LIST`.
    Partition,
}

const WATCHDOG: &str = "proc/sys/kernel/watchdog";

/// Reading `kernel.watchdog` while both watchdogs are off switches it off too (the kernel
/// synchronizes it on reading), and then neither of them can be switched on: whoever calls
/// `sysctl -a` on a tuned host would keep them off for good. It is switched on again together
/// with the first, before anybody reads it.
fn wake_watchdog(root: &HostRoot, path: &str, text: &str) -> io::Result<()> {
    let one = ["proc/sys/kernel/soft_watchdog", "proc/sys/kernel/nmi_watchdog"].contains(&path);
    if one && text == "1" && root.has(WATCHDOG) { root.write(WATCHDOG, "1") } else { Ok(()) }
}

impl Setting {
    /// Its text, in the one way in which it is written; `None` where the machine lacks it.
    ///
    /// # Errors
    /// When it is there and can't be read.
    pub fn read(&self, root: &HostRoot) -> io::Result<Option<String>> {
        match self {
            Self::File { path, format } => {
                Ok(root.try_read(path)?.map(|text| format.normalize(&text)))
            }
            Self::Unit(name) => {
                Ok(units::states(root, &[name.as_str()])?.pop().map(|(_, state)| state))
            }
            Self::Swap(device) => Ok(Some(swap::state(root, device)?)),
            Self::Controller => partition::controller(root),
            Self::Partition => partition::state(root),
        }
    }

    /// Sets it.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, root: &HostRoot, text: &str) -> io::Result<()> {
        match self {
            Self::File { path, .. } => {
                root.write(path, text)?;
                wake_watchdog(root, path, text)
            }
            Self::Unit(name) => units::set(root, name, text),
            Self::Swap(device) => swap::set(root, device, text),
            Self::Controller => partition::set_controller(root, text),
            Self::Partition => partition::set(root, text),
        }
    }

    /// Whether `now` is a half-way house of ours: setting it takes more than one call, and we
    /// may be killed in between.
    pub fn is_half(&self, now: &str) -> bool {
        match self {
            Self::Unit(_) => now == units::HALF,
            Self::Controller => partition::is_controller_half(now),
            Self::Partition => partition::is_half(now),
            _ => false,
        }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, format } => {
                let name = ValueFormat::ALL.iter().find(|(other, _)| other == format);
                write!(f, "{}:/{path}", name.map_or("text", |(_, name)| *name))
            }
            Self::Unit(name) => write!(f, "unit:{name}"),
            Self::Swap(device) => write!(f, "swap:{device}"),
            Self::Controller => f.write_str("controller:cpuset"),
            Self::Partition => f.write_str("partition:shakedown"),
        }
    }
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(':').ok_or_else(|| format!("`{text}` is no setting"))?;
        if let Some((format, _)) = ValueFormat::ALL.iter().find(|(_, name)| *name == kind) {
            let path = rest.strip_prefix('/').unwrap_or(rest).to_owned();
            let kernels = ["sys/", "proc/"].iter().any(|top| path.starts_with(top));
            if !kernels || path.split('/').any(|part| part == "..") {
                // The journal is root's own file, and yet: restore writes what it says.
                return Err(format!("`{path}` is not below /sys or /proc"));
            }
            return Ok(Self::File { path, format: *format });
        }
        match (kind, rest) {
            ("unit", name) => Ok(Self::Unit(name.to_owned())),
            ("swap", device) => Ok(Self::Swap(device.to_owned())),
            ("controller", "cpuset") => Ok(Self::Controller),
            ("partition", "shakedown") => Ok(Self::Partition),
            _ => Err(format!("`{text}` is no setting")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_names_that_come_back() {
        for name in [
            "text:/sys/devices/system/cpu/smt/control",
            "mask:/proc/irq/default_smp_affinity",
            "unit:cron.service",
            "swap:/dev/vda2",
            "controller:cpuset",
            "partition:shakedown",
        ] {
            assert_eq!(name.parse::<Setting>().unwrap().to_string(), name);
        }
        for wrong in ["", "x", "text:/etc/passwd", "text:/sys/../etc/x", "partition:other"] {
            assert!(wrong.parse::<Setting>().is_err(), "{wrong}");
        }
    }
}
