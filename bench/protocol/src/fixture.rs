//! Parts of records for tests.

pub mod comparison;

use crate::{
    Artifact, Aslr, Calibration, CpuInfo, DRIVER_PROTOCOL, DriverInfo, Epoch, HostFacts, HostWatch,
    LostReason, Measurement, Meter, Metric, MetricNoise, Negotiated, RunCompletion, RunPlan,
    RunRecord, SCHEMA_VERSION, Sample, Scenario, SentTraffic, SideResult, SourceSeen, Subject,
    SubjectEntry, TlsScenario, TlsVersion, Trial, TrialOutcome, WireTraffic,
};
use std::collections::BTreeMap;

/// A fit host of this epoch.
pub fn host(epoch: &str) -> HostFacts {
    HostFacts {
        name: "testhost".to_owned(),
        cpu: CpuInfo::default(),
        kernel: "6.1".to_owned(),
        system: "Debian".to_owned(),
        virtualization: "none".to_owned(),
        memory_kib: 1 << 23,
        knobs: Vec::new(),
        epoch: Epoch { id: epoch.to_owned(), facts: BTreeMap::new() },
        fit: true,
    }
}

/// A subject that was built from this kind of source, with two links.
///
/// # Panics
/// If the name is no subject.
pub fn entry(name: &str, source: &str, revision: Option<&str>) -> SubjectEntry {
    let asked: Subject = name.parse().expect("a subject");
    let artifact = Artifact {
        id: format!("artifact-of-{name}"),
        subject: asked.clone(),
        driver: asked.stack.clone(),
        driver_sha256: "d".repeat(64),
        own_driver: None,
        source: SourceSeen {
            kind: source.to_owned(),
            origin: name.to_owned(),
            revision: revision.map(str::to_owned),
            sha256: "5".repeat(64),
        },
        reference: false,
        surfaces: BTreeMap::new(),
        flags: Vec::new(),
        environment: BTreeMap::new(),
        run_environment: BTreeMap::new(),
        lockfile_sha256: "1".repeat(64),
        crates: BTreeMap::new(),
        compilers: Vec::new(),
        rustc: "rustc 1.95".to_owned(),
        programs: Vec::new(),
        links: vec!["a".repeat(64), "b".repeat(64)],
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

/// What a library negotiates that follows the scenario.
pub fn negotiated(scenario: &TlsScenario) -> Negotiated {
    let gone = scenario.resumes() && scenario.version == TlsVersion::Tls12;
    Negotiated {
        version: scenario.version,
        cipher_suite: scenario.cipher_suite,
        cipher_suite_name: "TLS_AES_256_GCM_SHA384".to_owned(),
        group: (!gone && !scenario.in_tree).then_some(scenario.group),
        key: (!scenario.resumes()).then_some(scenario.key),
        signature: (!scenario.resumes()).then(|| "ecdsa_secp256r1_sha256".to_owned()),
        resumed: scenario.resumes(),
        client_auth: scenario.client_auth,
        certificates: None,
        ocsp_response: None,
        early_data: scenario.sends_early_data(),
    }
}

/// One sample of each side with these rates: handshakes/s, or MiB/s in bulk scenarios.
pub fn timed(scenario: &Scenario, rates: [f64; 2]) -> Vec<SideResult> {
    const OPERATIONS: u64 = 1_000_000;
    let bulk = scenario.rate() == Some(Metric::Throughput);
    let sides = scenario.sides().iter().zip(rates);
    sides
        .map(|(&side, rate)| {
            let sample = Sample {
                operations: OPERATIONS,
                nanoseconds: (OPERATIONS as f64 * 1e9 / rate).round() as u64,
                bytes: if bulk { OPERATIONS << 20 } else { 0 },
                thread: 0,
            };
            SideResult { side, samples: vec![sample], latency: None, counts: None }
        })
        .collect()
}

/// What a trial measured: the sides, and the same bytes on the wire each time.
pub fn measured(scenario: Scenario, sides: Vec<SideResult>) -> Measurement {
    let end = SentTraffic { bytes: 1500, records: 6, flights: 2 };
    Measurement {
        scenario,
        negotiated: scenario.tls().map(negotiated),
        wire: (scenario.tls().is_some() && !scenario.in_tree())
            .then_some(WireTraffic { client: SentTraffic { bytes: 700, ..end }, server: end }),
        checked: if scenario.in_tree() { 0 } else { 100 },
        sides,
        memory: None,
    }
}

/// A lost timed trial, to which tests give another outcome.
pub fn trial(subject: &str, scenario: Scenario, [block, position]: [u32; 2]) -> Trial {
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
        outcome: TrialOutcome::Lost {
            reason: LostReason::Killed { signal: 11 },
            stderr: String::new(),
        },
    }
}

/// A finished run without a trial.
pub fn record(epoch: &str, subjects: Vec<SubjectEntry>, scenarios: &[Scenario]) -> RunRecord {
    RunRecord {
        schema: SCHEMA_VERSION,
        id: "run-of-a-test".to_owned(),
        shakedown: "0.1.0".to_owned(),
        started_ms: 1_700_000_000_000,
        host: host(epoch),
        plan: RunPlan {
            suite: "test".to_owned(),
            suite_file: None,
            paired: None,
            only: Vec::new(),
            budget: None,
            counts: None,
            scenarios: scenarios.to_vec(),
            meters: vec![Meter::Time],
            only_meters: Vec::new(),
            blocks: 4,
            seed: 1,
            aslr: Aslr::On,
            warm_up_ms: 1,
            measure_ms: 1,
            batch_ms: 1,
            operations: 10,
            tickets: 2,
            timeout_ms: 1000,
            fallback: None,
            left_out: Vec::new(),
            not_built: Vec::new(),
            backfill: None,
        },
        subjects,
        unsupported: Vec::new(),
        trials: Vec::new(),
        calibration: None,
        finish: Some(RunCompletion { at_ms: 1_700_000_100_000, planned: 0 }),
    }
}

/// A small generator, so that tests have noise without a source of randomness.
#[derive(Debug)]
pub struct Noisy(pub u64);

impl Noisy {
    /// About normal, with standard deviation 1: the sum of twelve uniform numbers, less its mean.
    pub fn draw(&mut self) -> f64 {
        let uniform = |state: u64| (state >> 11) as f64 / (1_u64 << 53) as f64;
        let mut sum = 0.0;
        for _ in 0..12 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            sum += uniform(self.0);
        }
        sum - 6.0
    }
}

/// A calibration that knows every rate of these scenarios, from 30 blocks of unchanged code that
/// spread by 0.3 %.
pub fn calibration(epoch: &str, scenarios: &[Scenario]) -> Calibration {
    let noise = scenarios.iter().flat_map(|&scenario| {
        let metric = scenario.rate().unwrap_or(Metric::Handshakes);
        let of = move |&side| MetricNoise {
            scenario,
            side,
            metric,
            blocks: 30,
            sigma_ppm: 3000,
            pair_ppm: None,
        };
        scenario.sides().iter().map(of)
    });
    Calibration {
        epoch: epoch.to_owned(),
        runs: vec!["nightly".to_owned()],
        noise: noise.collect(),
    }
}
