//! A comparison made by hand, as a stranger might hand it over.

use protocol::{
    Artifact, Aslr, Calibration, Cpu, DRIVER_PROTOCOL, Direction, DriverInfo, Epoch, Finish,
    HostFacts, Kind, Measured, Meter, Metric, Negotiated, Noise, Outcome, Plan, RunRecord,
    SCHEMA_VERSION, Sample, Scenario, SideResult, SourceSeen, Subject, SubjectEntry, TlsVersion,
    Trial, Wire,
};
use std::collections::BTreeMap;

/// Name of base.
pub const BASE: &str = "rustls@path:base+ring";
/// Name of head.
pub const HEAD: &str = "rustls@path:head+ring";

/// A finished comparison over these scenarios. Head has the factors on the rates of the two
/// sides; three blocks of ten pairs, 0.3 % noise, which the calibration knows.
///
/// # Panics
/// If a scenario's id is none.
pub fn comparison(scenarios: &[(&str, [f64; 2])]) -> RunRecord {
    let ids: Vec<Scenario> =
        scenarios.iter().map(|(id, _)| id.parse().expect("a scenario")).collect();
    let mut record = empty(&ids);
    for (scenario, (_, factors)) in ids.iter().zip(scenarios) {
        let mut noisy = Noisy(scenario.to_string().len() as u64);
        for block in 0..3 {
            for pair in 0..10 {
                let order = if pair % 2 == 0 { [BASE, HEAD] } else { [HEAD, BASE] };
                for (place, name) in order.into_iter().enumerate() {
                    let factors = if name == HEAD { *factors } else { [1.0, 1.0] };
                    let position = pair * 2 + place as u32;
                    let trial = trial(*scenario, name, [block, position], factors, &mut noisy);
                    record.trials.push(trial);
                }
            }
        }
    }
    record
}

/// A small generator, so that tests have noise without a source of randomness.
struct Noisy(u64);

impl Noisy {
    /// About normal, with standard deviation 1.
    fn next(&mut self) -> f64 {
        let mut sum = 0.0;
        for _ in 0..12 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            sum += (self.0 >> 11) as f64 / (1_u64 << 53) as f64;
        }
        sum - 6.0
    }
}

fn trial(
    scenario: Scenario,
    subject: &str,
    [block, position]: [u32; 2],
    factors: [f64; 2],
    noisy: &mut Noisy,
) -> Trial {
    const OPERATIONS: u64 = 1_000_000;
    let bulk = matches!(scenario.kind, Kind::Bulk { .. });
    let rates = [2000.0, 5000.0].into_iter().zip(factors);
    let sides = scenario.sides().iter().zip(rates).map(|(&side, (rate, factor))| {
        let rate = rate * factor * (1.0 + 0.003 * noisy.next());
        let sample = Sample {
            operations: OPERATIONS,
            nanoseconds: (OPERATIONS as f64 * 1e9 / rate).round() as u64,
            bytes: if bulk { OPERATIONS << 20 } else { 0 },
            thread: 0,
        };
        SideResult { side, samples: vec![sample], latency: None, counts: None }
    });
    let sides = sides.collect();
    let gone = scenario.resumes() && scenario.version == TlsVersion::Tls12;
    let sent = Direction { bytes: 1500, records: 6, flights: 2 };
    Trial {
        block,
        position,
        subject: subject.to_owned(),
        scenario,
        meter: Meter::Time,
        link: block,
        cpu: Some(1),
        started_ms: 1_700_000_000_000 + u64::from(block) * 1000,
        watch: protocol::HostWatch::default(),
        flaws: Vec::new(),
        outcome: Outcome::Measured(Measured {
            scenario,
            negotiated: Negotiated {
                version: scenario.version,
                suite: scenario.suite,
                suite_name: "TLS_AES_256_GCM_SHA384".to_owned(),
                group: (!gone).then_some(scenario.group),
                key: (!scenario.resumes()).then_some(scenario.key),
                signature: (!scenario.resumes()).then(|| "ecdsa_secp256r1_sha256".to_owned()),
                resumed: scenario.resumes(),
                client_auth: scenario.client_auth,
            },
            wire: Wire { client: sent, server: sent },
            checked: 100,
            sides,
            memory: None,
        }),
    }
}

fn entry(name: &str, digit: &str) -> SubjectEntry {
    let asked: Subject = name.parse().expect("a subject");
    SubjectEntry {
        name: name.to_owned(),
        asked: asked.clone(),
        artifact: Artifact {
            id: format!("artifact-{digit}"),
            subject: asked.clone(),
            driver: asked.stack.clone(),
            driver_sha256: "d".repeat(64),
            source: SourceSeen {
                kind: "path".to_owned(),
                origin: name.to_owned(),
                revision: Some(digit.repeat(40)),
                sha256: digit.repeat(64),
            },
            flags: Vec::new(),
            environment: BTreeMap::new(),
            lockfile_sha256: "1".repeat(64),
            crates: BTreeMap::new(),
            compilers: Vec::new(),
            rustc: "rustc 1.95".to_owned(),
            links: ["a", "b", "c"].map(|link| link.repeat(64)).to_vec(),
            seconds: 1,
        },
        driver: DriverInfo {
            protocol: DRIVER_PROTOCOL,
            stack: asked.stack,
            library: "rustls 0.23.46".to_owned(),
            details: Vec::new(),
            cpu_features: Vec::new(),
        },
    }
}

fn empty(scenarios: &[Scenario]) -> RunRecord {
    let epoch = "0123456789abcdef".to_owned();
    let noise = scenarios.iter().flat_map(|scenario| {
        let bulk = matches!(scenario.kind, Kind::Bulk { .. });
        let metric = if bulk { Metric::Throughput } else { Metric::Handshakes };
        scenario.sides().iter().map(move |&side| Noise {
            scenario: *scenario,
            side,
            metric,
            blocks: 30,
            sigma_ppm: 3000,
        })
    });
    RunRecord {
        schema: SCHEMA_VERSION,
        id: "20261121T070809Z-test".to_owned(),
        shakedown: "0.1.0".to_owned(),
        started_ms: 1_700_000_000_000,
        host: HostFacts {
            name: "bench-1".to_owned(),
            cpu: Cpu { model: "Xeon E-2386G".to_owned(), ..Cpu::default() },
            kernel: "6.1.0".to_owned(),
            system: "Debian GNU/Linux 12".to_owned(),
            virtualization: "none".to_owned(),
            memory_kib: 1 << 23,
            knobs: Vec::new(),
            epoch: Epoch { id: epoch.clone(), facts: BTreeMap::new() },
            fit: true,
        },
        plan: Plan {
            suite: "pr".to_owned(),
            scenarios: scenarios.to_vec(),
            meters: vec![Meter::Time],
            blocks: 4,
            seed: 1,
            aslr: Aslr::On,
            warm_up_ms: 100,
            measure_ms: 1000,
            batch_ms: 100,
            operations: 10,
            tickets: 2,
            timeout_ms: 60_000,
        },
        subjects: vec![entry(BASE, "5"), entry(HEAD, "6")],
        unsupported: Vec::new(),
        trials: Vec::new(),
        calibration: Some(Calibration {
            epoch,
            runs: vec!["nightly".to_owned()],
            noise: noise.collect(),
        }),
        finish: Some(Finish { at_ms: 1_700_000_100_000, planned: 0 }),
    }
}
