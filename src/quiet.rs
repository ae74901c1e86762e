//! The host, held quiet for as long as something is measured.

use host::{
    HostRoot, Quiet,
    watch::{Cooled, cool_down},
};
use std::time::Duration;

/// Hotter than this, in thousandths of a degree Celsius, and processors are near to slowing down.
const WARM: i64 = 70_000;

/// How long a run waits for a hot host.
const PATIENCE: Duration = Duration::from_secs(120);

/// Waits until the processors are cool, and holds the host quiet until the value is dropped. What
/// can't be had is told on standard error: a run on such a host is still a run.
pub fn hold() -> Quiet {
    let root = HostRoot::real();
    let mut told = false;
    let cooled = cool_down(&root, WARM, PATIENCE, |now| {
        if now >= WARM && !told {
            told = true;
            eprintln!("waiting for the processors to cool down: {} °C", now / 1000);
        }
    });
    if cooled == Cooled::No {
        eprintln!("warning: the processors stay above {} °C: see to the cooling", WARM / 1000);
    }
    let quiet = host::hold(&root);
    quiet.notes.iter().for_each(|note| eprintln!("note: {note}"));
    quiet
}
