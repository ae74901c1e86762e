//! Records and folders for tests.

use crate::{Row, Series};
use protocol::{
    Artifact, Aslr, Cpu, DRIVER_PROTOCOL, DriverInfo, Epoch, Finish, HostFacts, HostWatch,
    Measured, Meter, Negotiated, Outcome, Plan, RunRecord, SCHEMA_VERSION, Sample, Scenario,
    SideResult, SourceSeen, SubjectEntry, TlsVersion, Trial, Wire,
};
use std::collections::BTreeMap;

pub const SCENARIO: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
pub const START: u64 = 1_795_000_000_000;
pub const NOW: u64 = START + 4000 * DAY;
pub const DAY: u64 = 86_400_000;

fn host(epoch: &str) -> HostFacts {
    HostFacts {
        name: "testhost".to_owned(),
        cpu: Cpu::default(),
        kernel: "6.1".to_owned(),
        system: "Debian".to_owned(),
        virtualization: "none".to_owned(),
        memory_kib: 1 << 23,
        knobs: Vec::new(),
        epoch: Epoch { id: epoch.to_owned(), facts: BTreeMap::new() },
        fit: true,
    }
}

fn entry(name: &str, revision: &str) -> SubjectEntry {
    let asked: protocol::Subject = name.parse().unwrap();
    let source = SourceSeen {
        kind: "git".to_owned(),
        origin: name.to_owned(),
        revision: Some(revision.to_owned()),
        sha256: "5".repeat(64),
    };
    let artifact = Artifact {
        id: "artifact".to_owned(),
        subject: asked.clone(),
        driver: asked.stack.clone(),
        driver_sha256: "d".repeat(64),
        source,
        flags: Vec::new(),
        environment: BTreeMap::new(),
        lockfile_sha256: "1".repeat(64),
        crates: BTreeMap::new(),
        compilers: Vec::new(),
        rustc: "rustc 1.95".to_owned(),
        links: vec!["a".repeat(64)],
        seconds: 1,
    };
    let driver = DriverInfo {
        protocol: DRIVER_PROTOCOL,
        stack: asked.stack.clone(),
        library: name.to_owned(),
        details: Vec::new(),
        cpu_features: Vec::new(),
    };
    SubjectEntry { name: name.to_owned(), asked, artifact, driver }
}

fn negotiated(scenario: &Scenario) -> Negotiated {
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

fn trial(position: usize, subject: &str, scenario: Scenario, rates: [f64; 2]) -> Trial {
    let sides = scenario.sides().iter().zip(rates).map(|(&side, rate)| {
        let nanoseconds = (1e15 / rate).round() as u64;
        let sample = Sample { operations: 1_000_000, nanoseconds, bytes: 0, thread: 0 };
        SideResult { side, samples: vec![sample], latency: None, counts: None }
    });
    let measured = Measured {
        scenario,
        negotiated: negotiated(&scenario),
        wire: Wire::default(),
        checked: 1,
        sides: sides.collect(),
        memory: None,
    };
    Trial {
        block: 0,
        position: position as u32,
        subject: subject.to_owned(),
        scenario,
        meter: Meter::Time,
        link: 0,
        cpu: None,
        started_ms: START,
        watch: HostWatch::default(),
        flaws: Vec::new(),
        outcome: Outcome::Measured(measured),
    }
}

/// A record of one night: each subject's client and server rate in one scenario.
pub fn record(night: u64, epoch: &str, subjects: &[(&str, [f64; 2])]) -> RunRecord {
    let scenarios = [SCENARIO.parse().unwrap()];
    let names: Vec<&str> = subjects.iter().map(|(name, _)| *name).collect();
    record_of(night, epoch, &names, &scenarios, |subject, _| subjects[subject].1)
}

/// A record of one night: the rates of each subject in each scenario, both by index.
pub fn record_of(
    night: u64,
    epoch: &str,
    subjects: &[&str],
    scenarios: &[Scenario],
    rates: impl Fn(usize, usize) -> [f64; 2],
) -> RunRecord {
    let mut trials = Vec::new();
    for (at, &scenario) in scenarios.iter().enumerate() {
        for (position, subject) in subjects.iter().enumerate() {
            trials.push(trial(position, subject, scenario, rates(position, at)));
        }
    }
    RunRecord {
        schema: SCHEMA_VERSION,
        id: format!("night-{night}"),
        shakedown: "0.1.0".to_owned(),
        started_ms: START + night * DAY,
        host: host(epoch),
        plan: Plan {
            suite: "nightly".to_owned(),
            scenarios: scenarios.to_vec(),
            meters: vec![Meter::Time],
            blocks: 1,
            seed: 1,
            aslr: Aslr::On,
            warm_up_ms: 1,
            measure_ms: 1,
            batch_ms: 1,
            operations: 1,
            tickets: 2,
            timeout_ms: 1000,
        },
        subjects: subjects.iter().map(|name| entry(name, &format!("{night:040x}"))).collect(),
        unsupported: Vec::new(),
        trials,
        calibration: None,
        finish: Some(Finish { at_ms: START + night * DAY + 1000, planned: 1 }),
    }
}

/// The record of one night as text.
pub fn text(night: u64, epoch: &str, rate: f64) -> String {
    let subjects = [("rustls@git:HEAD", [rate, rate / 2.0]), ("openssl@3.5.5", [900.0, 800.0])];
    serde_json::to_string(&record(night, epoch, &subjects)).unwrap()
}

/// Rows whose interval is one percent to each side: how rows are made is not ours to test.
pub fn summarize(record: &RunRecord) -> Vec<Row> {
    let mut rows = Vec::new();
    for trial in &record.trials {
        for (side, metric, value) in trial.values() {
            let series = Series {
                subject: trial.subject.clone(),
                scenario: trial.scenario.to_string(),
                side: side.to_string(),
                metric: metric.to_string(),
                unit: metric.unit().to_string(),
                better: metric.better(),
            };
            rows.push(Row { series, median: value, low: value * 0.99, high: value * 1.01, n: 1 });
        }
    }
    rows
}
