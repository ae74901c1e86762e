//! Where the time of a comparison went.

use serde::Serialize;
use shakedown_protocol::{Meter, RunRecord, Trial};

/// A part of the time that a comparison took.
#[derive(Debug, Serialize)]
pub struct PhaseTime {
    /// On what.
    pub what: &'static str,
    /// Whole seconds.
    pub seconds: u64,
}

/// The instruments, in the order in which they get the time that several share.
const METERS: [(Meter, &str); 4] = [
    (Meter::Time, "timed trials"),
    (Meter::Instructions, "instruction trials"),
    (Meter::Heap, "heap trials"),
    (Meter::Locks, "lock trials"),
];

/// By the trials' own clocks. `built_s` is how long building took, where that is known. Trials that run at the
/// same time share it: counts have what they add to that of the times.
pub(super) fn times(record: &RunRecord, built_s: Option<u64>) -> Vec<PhaseTime> {
    let mut times = Vec::new();
    times.extend(built_s.map(|seconds| PhaseTime { what: "building", seconds }));
    let mut before = 0;
    for (index, (_, what)) in METERS.iter().enumerate() {
        let among = |trial: &&Trial| METERS[..=index].iter().any(|(one, _)| *one == trial.meter);
        let until = wall_us(record.trials.iter().filter(among));
        if until > before {
            times.push(PhaseTime { what, seconds: (until - before) / 1_000_000 });
        }
        before = until;
    }
    if let Some(finish) = &record.finish {
        let whole = finish.at_ms.saturating_sub(record.started_ms);
        let seconds = whole.saturating_sub(before / 1000) / 1000;
        times.push(PhaseTime { what: "between trials", seconds });
    }
    times
}

/// How long at least one of these trials ran, in microseconds.
fn wall_us<'t>(trials: impl Iterator<Item = &'t Trial>) -> u64 {
    let span = |trial: &Trial| {
        let start = trial.started_ms.saturating_mul(1000);
        (start, start.saturating_add(trial.watch.wall_us))
    };
    let mut spans: Vec<(u64, u64)> = trials.map(span).collect();
    spans.sort_unstable();
    let (mut all, mut end) = (0_u64, 0);
    for (from, to) in spans {
        all = all.saturating_add(to.saturating_sub(from.max(end)));
        end = end.max(to);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_protocol::{RunCompletion, fixture};

    fn trial(meter: Meter, started_ms: u64, wall_ms: u64) -> Trial {
        let scenario = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256".parse().unwrap();
        let mut trial = fixture::trial("a", scenario, [0, 0]);
        (trial.meter, trial.started_ms, trial.watch.wall_us) = (meter, started_ms, wall_ms * 1000);
        trial
    }

    #[test]
    fn counts_beside_times_take_what_they_add() {
        let mut record = fixture::record("e", Vec::new(), &[]);
        record.started_ms = 1000;
        record.finish = Some(RunCompletion { at_ms: 31_000, planned: 5 });
        record.trials = vec![
            trial(Meter::Time, 1000, 5000),
            trial(Meter::Instructions, 1000, 12_000),
            trial(Meter::Time, 7000, 5000),
            trial(Meter::Instructions, 14_000, 9000),
            trial(Meter::Heap, 14_000, 11_000),
        ];
        let told = times(&record, Some(70));
        let told: Vec<(&str, u64)> = told.iter().map(|one| (one.what, one.seconds)).collect();
        let wanted = [
            ("building", 70),
            ("timed trials", 10),
            ("instruction trials", 11),
            ("heap trials", 2),
            ("between trials", 7),
        ];
        assert_eq!(told, wanted);
        assert_eq!(told[1..].iter().map(|(_, seconds)| seconds).sum::<u64>(), 30);
    }
}
