//! Records made by hand, for tests.

use protocol::*;
use std::collections::BTreeMap;

pub(crate) const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
pub(crate) const TICKET: &str = "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256";
pub(crate) const BULK: &str = "bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-16KiB";

pub(crate) fn memory(sessions: u32) -> String {
    format!("memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-{sessions}")
}

pub(crate) fn host() -> HostFacts {
    HostFacts {
        name: "testhost".to_owned(),
        cpu: Cpu::default(),
        kernel: "6.1".to_owned(),
        system: "Debian".to_owned(),
        virtualization: "none".to_owned(),
        memory_kib: 1 << 23,
        knobs: Vec::new(),
        epoch: Epoch { id: "0123456789abcdef".to_owned(), facts: BTreeMap::new() },
        fit: true,
    }
}

pub(crate) fn entry(name: &str) -> SubjectEntry {
    let asked: Subject = name.parse().unwrap();
    SubjectEntry {
        name: name.to_owned(),
        asked: asked.clone(),
        artifact: Artifact {
            id: format!("artifact-of-{name}"),
            subject: asked.clone(),
            driver: asked.stack.clone(),
            driver_sha256: "d".repeat(64),
            source: SourceSeen {
                kind: "crate".to_owned(),
                origin: name.to_owned(),
                revision: None,
                sha256: "5".repeat(64),
            },
            flags: Vec::new(),
            environment: BTreeMap::new(),
            lockfile_sha256: "1".repeat(64),
            crates: BTreeMap::new(),
            compilers: Vec::new(),
            rustc: "rustc 1.95".to_owned(),
            links: vec!["a".repeat(64), "b".repeat(64)],
            seconds: 1,
        },
        driver: DriverInfo {
            protocol: DRIVER_PROTOCOL,
            stack: asked.stack,
            library: name.to_owned(),
            details: Vec::new(),
            cpu_features: Vec::new(),
        },
    }
}

pub(crate) fn record(subjects: &[&str], scenarios: &[&str]) -> RunRecord {
    RunRecord {
        schema: SCHEMA_VERSION,
        id: "run-of-a-test".to_owned(),
        shakedown: "0.1.0".to_owned(),
        started_ms: 1_700_000_000_000,
        host: host(),
        plan: Plan {
            suite: "test".to_owned(),
            scenarios: scenarios.iter().map(|id| id.parse().unwrap()).collect(),
            meters: vec![Meter::Time],
            blocks: 4,
            seed: 1,
            aslr: Aslr::On,
            warm_up_ms: 1,
            measure_ms: 1,
            batch_ms: 1,
            operations: 10,
            tickets: 2,
            timeout_ms: 1000,
        },
        subjects: subjects.iter().map(|name| entry(name)).collect(),
        unsupported: Vec::new(),
        trials: Vec::new(),
        calibration: None,
        finish: Some(Finish { at_ms: 1_700_000_100_000, planned: 0 }),
    }
}

pub(crate) fn negotiated(scenario: &Scenario) -> Negotiated {
    let gone = scenario.resumes() && scenario.version == TlsVersion::Tls12;
    Negotiated {
        version: scenario.version,
        suite: scenario.suite,
        suite_name: "TLS_AES_256_GCM_SHA384".to_owned(),
        group: (!gone).then_some(scenario.group),
        key: (!scenario.resumes()).then_some(scenario.key),
        signature: (!scenario.resumes()).then(|| "ecdsa_secp256r1_sha256".to_owned()),
        resumed: scenario.resumes(),
        client_auth: scenario.client_auth,
    }
}

/// A trial that did not end in a measurement, or will get one.
pub(crate) fn trial(record: &RunRecord, block: u32, subject: &str, id: &str) -> Trial {
    let scenario: Scenario = id.parse().unwrap();
    let position = record
        .trials
        .iter()
        .filter(|trial| trial.block == block && trial.scenario == scenario)
        .count() as u32;
    Trial {
        block,
        position,
        subject: subject.to_owned(),
        scenario,
        meter: Meter::Time,
        link: 0,
        cpu: Some(1),
        started_ms: 1_700_000_000_000 + u64::from(block) * 1000,
        watch: HostWatch::default(),
        flaws: Vec::new(),
        outcome: Outcome::Lost { reason: "signal 11".to_owned(), stderr: String::new() },
    }
}

fn measured(scenario: Scenario, sides: Vec<SideResult>) -> Measured {
    let end = Direction { bytes: 1500, records: 6, flights: 2 };
    Measured {
        scenario,
        negotiated: negotiated(&scenario),
        wire: Wire { client: Direction { bytes: 700, ..end }, server: end },
        checked: 100,
        sides,
        memory: None,
    }
}

/// Adds a trial whose sides have these rates: handshakes/s, or MiB/s in bulk scenarios.
pub(crate) fn rate(record: &mut RunRecord, block: u32, subject: &str, id: &str, rates: [f64; 2]) {
    const OPERATIONS: u64 = 1_000_000;
    let mut trial = trial(record, block, subject, id);
    let bulk = matches!(trial.scenario.kind, Kind::Bulk { .. });
    let sample = |rate: f64| Sample {
        operations: OPERATIONS,
        nanoseconds: (OPERATIONS as f64 * 1e9 / rate).round() as u64,
        bytes: if bulk { OPERATIONS << 20 } else { 0 },
        thread: 0,
    };
    let sides = trial.scenario.sides().iter().zip(rates).map(|(&side, rate)| SideResult {
        side,
        samples: vec![sample(rate)],
        latency: None,
        counts: None,
    });
    trial.outcome = Outcome::Measured(measured(trial.scenario, sides.collect()));
    record.trials.push(trial);
}

/// Adds a trial of a counting meter: each side spent these counts per operation.
pub(crate) fn count(
    record: &mut RunRecord,
    block: u32,
    subject: &str,
    id: &str,
    meter: Meter,
    per_operation: [u64; 2],
) {
    let mut trial = trial(record, block, subject, id);
    trial.meter = meter;
    let heap = meter == Meter::Heap;
    let sides = trial.scenario.sides().iter().zip(per_operation).map(|(&side, each)| SideResult {
        side,
        samples: Vec::new(),
        latency: None,
        counts: Some(Counts {
            operations: 10,
            instructions: (!heap).then_some(each * 10),
            allocations: heap.then_some(each * 10),
            allocated_bytes: heap.then_some(each * 1000),
            peak_heap: heap.then_some(each * 50),
        }),
    });
    trial.outcome = Outcome::Measured(measured(trial.scenario, sides.collect()));
    record.trials.push(trial);
}

/// Adds a memory trial.
pub(crate) fn peak(record: &mut RunRecord, block: u32, subject: &str, id: &str, peak_kib: u64) {
    let mut trial = trial(record, block, subject, id);
    let Kind::Memory { sessions } = trial.scenario.kind else {
        panic!("{id} is no memory scenario")
    };
    let both = SideResult { side: Side::Both, samples: Vec::new(), latency: None, counts: None };
    let memory = MemoryPoint { sessions, baseline_kib: 1000, peak_kib };
    trial.outcome = Outcome::Measured(Measured {
        memory: Some(memory),
        ..measured(trial.scenario, vec![both])
    });
    record.trials.push(trial);
}

/// An A/A run whose blocks, each of other links, are off by these shares.
pub(crate) fn unchanged(offsets: &[f64]) -> RunRecord {
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
