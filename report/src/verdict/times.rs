//! Where the time of a comparison went.

use serde::Serialize;
use shakedown_protocol::{Meter, RunRecord};

/// A part of the time that a comparison took.
#[derive(Debug, Serialize)]
pub struct PhaseTime {
    /// On what.
    pub what: &'static str,
    /// Whole seconds.
    pub seconds: u64,
}

/// By the trials' own clocks. `built_s` is how long building took, where that is known.
pub(super) fn times(record: &RunRecord, built_s: Option<u64>) -> Vec<PhaseTime> {
    let mut times = Vec::new();
    times.extend(built_s.map(|seconds| PhaseTime { what: "building", seconds }));
    let of = |meter: Meter| {
        let trials = record.trials.iter().filter(|trial| trial.meter == meter);
        trials.map(|trial| trial.watch.wall_us).sum::<u64>()
    };
    let parts = [
        ("timed trials", of(Meter::Time)),
        ("heap trials", of(Meter::Heap)),
        ("instruction trials", of(Meter::Instructions)),
    ];
    let measured: u64 = parts.iter().map(|(_, us)| us).sum();
    for (what, us) in parts.into_iter().filter(|(_, us)| *us > 0) {
        times.push(PhaseTime { what, seconds: us / 1_000_000 });
    }
    if let Some(finish) = &record.finish {
        let whole = finish.at_ms.saturating_sub(record.started_ms);
        let seconds = whole.saturating_sub(measured / 1000) / 1000;
        times.push(PhaseTime { what: "between trials", seconds });
    }
    times
}
