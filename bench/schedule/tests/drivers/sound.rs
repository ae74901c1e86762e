//! Sound values of the protocol, for tests and for the drivers that tests run.

// Each program that includes this uses a part of it.
#![allow(dead_code)]

use shakedown_protocol::*;

/// A request with small budgets.
pub fn request(id: &str, meter: Meter) -> DriverRequest {
    DriverRequest {
        protocol: DRIVER_PROTOCOL,
        scenario: id.parse().unwrap(),
        meter,
        pki: "/pki".into(),
        warm_up_ms: 1,
        measure_ms: 10,
        batch_ms: 1,
        operations: 5,
        tickets: 2,
        seed: 1,
    }
}

/// A sound answer to `request`.
pub fn measured(request: &DriverRequest) -> Measurement {
    let scenario = request.scenario;
    let memory = match scenario.tls().map(|tls| tls.kind) {
        Some(ScenarioKind::Memory { sessions }) => {
            Some(MemoryPoint { sessions, baseline_kib: 4000, peak_kib: 5000 })
        }
        _ => None,
    };
    let timed = request.meter == Meter::Time && memory.is_none();
    let bytes = if scenario.rate() == Some(Metric::Throughput) { 16384 } else { 0 };
    let latency = Latency {
        count: 10,
        p50: 100,
        p90: 110,
        p99: 120,
        p999: 130,
        max: 140,
        histogram: String::new(),
    };
    let counts = Counts {
        operations: 5,
        instructions: Some(1000),
        allocations: Some(10),
        allocated_bytes: Some(100),
        peak_heap: Some(50),
        lock_operations: Some(40),
        lock_waits: Some(0),
    };
    let side = |side: &Side| SideResult {
        side: *side,
        samples: if timed {
            vec![Sample { operations: 10, nanoseconds: 1000, bytes, thread: 0 }; 2]
        } else {
            vec![]
        },
        latency: timed.then(|| latency.clone()),
        counts: (request.meter != Meter::Time).then_some(counts),
    };
    Measurement {
        scenario,
        negotiated: scenario.tls().map(negotiated),
        wire: scenario.tls().is_some_and(|tls| !tls.in_tree).then(WireTraffic::default),
        checked: 3,
        sides: scenario.sides().iter().map(side).collect(),
        memory,
    }
}

fn negotiated(scenario: &TlsScenario) -> Negotiated {
    let resumed = scenario.resumes();
    let pinned = Some(scenario.group).filter(|group| *group != Group::Default);
    Negotiated {
        version: scenario.version,
        cipher_suite: scenario.cipher_suite,
        cipher_suite_name: "TLS_AES_256_GCM_SHA384".to_owned(),
        group: (!resumed || scenario.version == TlsVersion::Tls13)
            .then(|| pinned.unwrap_or(Group::X25519)),
        key: (!resumed).then_some(scenario.key),
        signature: (!resumed).then(|| "ecdsa_secp256r1_sha256".to_owned()),
        resumed,
        client_auth: scenario.client_auth,
        certificates: None,
        ocsp_response: None,
        early_data: scenario.sends_early_data(),
    }
}

/// Two scenarios, two meters, three blocks.
pub fn plan() -> RunPlan {
    let ids = [
        "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256",
        "bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-16KiB",
        "memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-10",
    ];
    RunPlan {
        suite: "test".to_owned(),
        suite_file: None,
        paired: None,
        only: Vec::new(),
        budget: None,
        counts: None,
        scenarios: ids.iter().map(|id| id.parse().unwrap()).collect(),
        meters: vec![Meter::Time, Meter::Heap],
        only_meters: Vec::new(),
        blocks: 3,
        seed: 11,
        aslr: Aslr::On,
        warm_up_ms: 1,
        measure_ms: 10,
        batch_ms: 1,
        operations: 5,
        tickets: 2,
        timeout_ms: 5000,
        fallback: None,
        left_out: Vec::new(),
        not_built: Vec::new(),
        backfill: None,
    }
}

/// A machine.
pub fn host() -> HostFacts {
    HostFacts {
        name: "bench1".to_owned(),
        cpu: CpuInfo::default(),
        kernel: "6.1".to_owned(),
        system: "Debian".to_owned(),
        virtualization: "none".to_owned(),
        memory_kib: 1 << 20,
        knobs: vec![],
        epoch: Epoch {
            id: "0123456789abcdef".to_owned(),
            facts: [("kernel".to_owned(), "6.1".to_owned())].into(),
        },
        fit: true,
    }
}

/// A subject whose links have these digests.
pub fn entry(name: &str, links: Vec<String>) -> SubjectEntry {
    SubjectEntry {
        name: name.to_owned(),
        asked: name.parse().unwrap(),
        artifact: Artifact {
            id: format!("{name}-artifact"),
            subject: name.parse().unwrap(),
            driver: name.to_owned(),
            driver_sha256: "0".repeat(64),
            own_driver: None,
            source: SourceSeen {
                kind: "path".to_owned(),
                origin: "/src".to_owned(),
                revision: None,
                sha256: "1".repeat(64),
            },
            reference: false,
            surfaces: std::collections::BTreeMap::new(),
            flags: vec![],
            environment: [].into(),
            run_environment: [].into(),
            lockfile_sha256: "2".repeat(64),
            crates: [].into(),
            compilers: vec![],
            rustc: "rustc 1.95".to_owned(),
            links,
            programs: vec![],
            seconds: 1,
        },
        driver: DriverInfo {
            protocol: DRIVER_PROTOCOL,
            stack: name.to_owned(),
            library: "1.0".to_owned(),
            details: vec![],
            cpu_features: vec![],
        },
    }
}

/// A record of two subjects, with nothing measured yet.
pub fn record() -> RunRecord {
    RunRecord {
        schema: SCHEMA_VERSION,
        id: "20260101T000000Z-1".to_owned(),
        shakedown: "0.1.0".to_owned(),
        started_ms: 1,
        host: host(),
        plan: plan(),
        subjects: vec![entry("a", vec![]), entry("b", vec![])],
        unsupported: vec![],
        trials: vec![],
        calibration: None,
        finish: None,
    }
}
