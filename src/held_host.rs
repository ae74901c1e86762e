//! The host, held quiet for as long as something is measured.

use crate::output::say;
use shakedown_host::{
    Assignment, HostRoot, QuietHold,
    watch::{CoolDown, Watch, cool_down},
};
use std::time::Duration;

/// Hotter than this, in thousandths of a degree Celsius, and processors are near to slowing down.
const WARM: i64 = 70_000;

/// How long a run waits for a hot host.
const PATIENCE: Duration = Duration::from_secs(120);

/// The host while it is held. Prints alarms about the host at the end; what the host did to each trial
/// is in the record.
pub struct HeldHost {
    _quiet: QuietHold,
    watch: Watch,
}

impl Drop for HeldHost {
    fn drop(&mut self) {
        let found = self.watch.delta();
        for alarm in found.alarms() {
            say(format_args!("warning: while this was measured: {alarm}"));
        }
    }
}

/// Waits until the processors are cool, and holds the host quiet until the value is dropped. What
/// can't be held is printed to standard error, and the run continues.
pub fn hold() -> HeldHost {
    let root = HostRoot::real();
    let mut told = false;
    let cooled = cool_down(&root, WARM, PATIENCE, |now| {
        if now >= WARM && !told {
            told = true;
            say(format_args!("waiting for the processors to cool down: {} °C", now / 1000));
        }
    });
    if cooled == CoolDown::No {
        say(format_args!(
            "warning: the processors stay above {} °C: see to the cooling",
            WARM / 1000
        ));
    }
    let quiet = shakedown_host::hold(&root);
    quiet.notes.iter().for_each(|note| say(format_args!("note: {note}")));
    let watch = Watch::new(&root, Assignment::of(&root).measured());
    HeldHost { _quiet: quiet, watch }
}
