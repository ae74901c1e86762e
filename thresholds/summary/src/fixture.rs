//! Records made by hand, for tests.

use shakedown_protocol::{
    fixture::{self, measured, timed},
    *,
};

pub const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
pub const TICKET: &str = "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256";
pub const BULK: &str = "bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-16KiB";

pub fn memory(sessions: u32) -> String {
    format!("memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-{sessions}")
}

pub fn entry(name: &str) -> SubjectEntry {
    fixture::entry(name, "crate", None)
}

pub fn record(subjects: &[&str], scenarios: &[&str]) -> RunRecord {
    let subjects = subjects.iter().map(|name| entry(name)).collect();
    let scenarios: Vec<Scenario> = scenarios.iter().map(|id| id.parse().unwrap()).collect();
    fixture::record("0123456789abcdef", subjects, &scenarios)
}

/// A trial that did not end in a measurement, or will get one.
pub fn trial(record: &RunRecord, block: u32, subject: &str, id: &str) -> Trial {
    let scenario: Scenario = id.parse().unwrap();
    let position = record
        .trials
        .iter()
        .filter(|trial| trial.block == block && trial.scenario == scenario)
        .count() as u32;
    fixture::trial(subject, scenario, [block, position])
}

/// Adds a trial whose sides have these rates: handshakes/s, or MiB/s in bulk scenarios.
pub fn rate(record: &mut RunRecord, block: u32, subject: &str, id: &str, rates: [f64; 2]) {
    let mut trial = trial(record, block, subject, id);
    let sides = timed(&trial.scenario, rates);
    trial.outcome = TrialOutcome::Measured(measured(trial.scenario, sides));
    record.trials.push(trial);
}

/// Adds a trial of a counting meter: each side spent these counts per operation.
pub fn count(
    record: &mut RunRecord,
    block: u32,
    subject: &str,
    id: &str,
    meter: Meter,
    per_operation: [u64; 2],
) {
    let mut trial = trial(record, block, subject, id);
    trial.meter = meter;
    let of = |one: Meter, times: u64| move |each: u64| (meter == one).then_some(each * times);
    let sides = trial.scenario.sides().iter().zip(per_operation).map(|(&side, each)| SideResult {
        side,
        samples: Vec::new(),
        latency: None,
        counts: Some(Counts {
            operations: 10,
            instructions: of(Meter::Instructions, 10)(each),
            allocations: of(Meter::Heap, 10)(each),
            allocated_bytes: of(Meter::Heap, 1000)(each),
            peak_heap: of(Meter::Heap, 50)(each),
            lock_operations: of(Meter::Locks, 10)(each),
            lock_waits: of(Meter::Locks, 1)(each),
        }),
    });
    trial.outcome = TrialOutcome::Measured(measured(trial.scenario, sides.collect()));
    record.trials.push(trial);
}

/// Adds a memory trial.
pub fn peak(record: &mut RunRecord, block: u32, subject: &str, id: &str, peak_kib: u64) {
    let mut trial = trial(record, block, subject, id);
    let Some(ScenarioKind::Memory { sessions }) = trial.scenario.tls().map(|tls| tls.kind) else {
        panic!("{id} is no memory scenario")
    };
    let both = SideResult { side: Side::Both, samples: Vec::new(), latency: None, counts: None };
    let memory = MemoryPoint { sessions, baseline_kib: 1000, peak_kib };
    trial.outcome = TrialOutcome::Measured(Measurement {
        memory: Some(memory),
        ..measured(trial.scenario, vec![both])
    });
    record.trials.push(trial);
}

/// An A/A run whose blocks, each of other links, are off by these shares.
pub fn unchanged(offsets: &[f64]) -> RunRecord {
    const A: &str = "rustls@path:one";
    const B: &str = "rustls@path:two";
    let mut made = record(&[A, B], &[FULL]);
    for (block, offset) in offsets.iter().enumerate() {
        for _ in 0..10 {
            let block = block as u32;
            rate(&mut made, block, A, FULL, [1e4, 1e4]);
            rate(&mut made, block, B, FULL, [1e4 * (1.0 + offset), 1e4]);
            let count = made.trials.len();
            made.trials[count - 2..].iter_mut().for_each(|trial| trial.link = block);
        }
    }
    made
}
