//! Temperature, and waiting until a host has cooled down.

use crate::{HostRoot, root::is_numbered};
use std::{
    thread,
    time::{Duration, Instant},
};

/// The hottest sensor of the processors, in thousandths of a degree Celsius; `None` if
/// no sensor exists.
pub fn hottest(root: &HostRoot) -> Option<i64> {
    const DRIVERS: [&str; 4] = ["coretemp", "k10temp", "zenpower", "cpu_thermal"];
    let mut all = Vec::new();
    for name in root.names("sys/class/hwmon") {
        let folder = format!("sys/class/hwmon/{name}");
        let driver = root.read(&format!("{folder}/name")).unwrap_or_default();
        if DRIVERS.contains(&driver.as_str()) {
            let files = root.names(&folder).into_iter();
            let inputs = files.filter(|file| file.starts_with("temp") && file.ends_with("_input"));
            all.extend(
                inputs
                    .filter_map(|file| root.read(&format!("{folder}/{file}"))?.parse::<i64>().ok()),
            );
        }
    }
    if all.is_empty() {
        let zones = root.names("sys/class/thermal").into_iter();
        let zones = zones.filter(|name| is_numbered(name, "thermal_zone"));
        all.extend(zones.filter_map(|name| {
            root.read(&format!("sys/class/thermal/{name}/temp"))?.parse::<i64>().ok()
        }));
    }
    all.into_iter().max()
}

/// The result of waiting for a cool host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoolDown {
    /// The temperature is below the limit.
    Yes,
    /// It is still above the limit after the timeout.
    No,
    /// The host has no sensor.
    Unknown,
}

/// Waits until the hottest sensor is below `limit_mc` (thousandths of a degree Celsius), for
/// `patience` at most. `told` hears of every look.
pub fn cool_down(
    root: &HostRoot,
    limit_mc: i64,
    patience: Duration,
    mut told: impl FnMut(i64),
) -> CoolDown {
    const LOOK: Duration = Duration::from_secs(1);
    let begun = Instant::now();
    loop {
        let Some(now) = hottest(root) else { return CoolDown::Unknown };
        told(now);
        if now < limit_mc {
            return CoolDown::Yes;
        }
        let left = patience.saturating_sub(begun.elapsed());
        if left.is_zero() {
            return CoolDown::No;
        }
        thread::sleep(LOOK.min(left));
    }
}
