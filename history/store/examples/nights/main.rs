//! A small history with something of everything, for looking at the dashboard and for its
//! browser tests: releases and a revision that moves, two host epochs, threads, memory, a
//! change for the worse and one for the better, and a name that tries to be markup.
//!
//!     cargo run -p shakedown-store --example nights -- DIR

// The records that the tests are made of; not all of its helpers are needed here.
#[allow(dead_code)]
#[path = "../../src/testing.rs"]
mod testing;

use shakedown_protocol::{
    MemoryPoint, RunRecord, Scenario, ScenarioKind, SubjectVersion, TrialOutcome,
};
use shakedown_store::Store;
pub use shakedown_store::{SeriesInfo, SeriesValue};
use std::path::Path;

const NIGHTS: u64 = 90;
/// Night in which the host changed.
const MOVED: u64 = 30;
/// Night in which the revision that moves became slower.
const SLOWER: u64 = 60;
const BLOCKS: u32 = 5;

const RELEASES: [(&str, f64); 7] = [
    ("openssl@1.1.1w", 1.0),
    ("openssl@3.0.8", 0.82),
    ("openssl@3.2.1", 0.88),
    ("openssl@3.4.1", 0.93),
    ("openssl@3.5.5", 0.95),
    ("openssl@4.0.3", 1.02),
    ("rustls@0.23.46", 1.7),
];
const HEAD: &str = "rustls@git:HEAD";
/// Its repository is no web address.
const HOSTILE: &str = "boringssl@git:main";

const SCENARIOS: [&str; 9] = [
    "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256",
    "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/threads-2",
    "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/threads-4",
    "handshake-full/tls1.2/aes256-gcm/x25519/rsa-2048",
    "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256",
    "bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-16KiB",
    "memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-100",
    "memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-1000",
    "memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-5000",
];

/// A number that looks random, and is the same on every machine.
fn mix(parts: &[u64]) -> u64 {
    let z = parts.iter().fold(0x9E37_79B9_7F4A_7C15_u64, |z, part| {
        (z ^ part).wrapping_mul(0xBF58_476D_1CE4_E5B9).rotate_left(27)
    });
    (z ^ (z >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB)
}

/// Between -1 and 1.
fn wobble(parts: [u64; 4]) -> f64 {
    (mix(&parts) >> 33) as f64 / f64::from(1 << 30) - 1.0
}

/// The commit of a night.
fn commit(night: u64) -> String {
    let digits: String = (0..3).map(|part| format!("{:016x}", mix(&[night, part]))).collect();
    digits[..40].to_owned()
}

/// Operations a second of a subject in one trial.
fn rate(night: u64, block: u64, subject: usize, scenario: usize) -> f64 {
    let base = RELEASES.get(subject).map_or(1.75, |(_, factor)| *factor) * 4000.0;
    let threads = [1.0, 1.93, 3.6].get(scenario).copied().unwrap_or(1.0);
    let host = if night < MOVED { 0.9 } else { 1.0 };
    let head = subject == RELEASES.len();
    let step = match scenario {
        0..=2 if head && night >= SLOWER => 0.95,
        5 if head && night >= SLOWER => 1.04,
        _ => 1.0,
    };
    let (place, run) = ((subject * 100 + scenario) as u64, [night, block]);
    let noise = 0.003 * wobble([place, run[0], 0, 1]) + 0.004 * wobble([place, run[0], run[1], 2]);
    base * threads * host * step * (1.0 + noise)
}

/// Peak memory instead of a rate, and bytes where data is carried.
fn fill(record: &mut RunRecord) {
    for trial in &mut record.trials {
        let TrialOutcome::Measured(measured) = &mut trial.outcome else { continue };
        let samples = measured.sides.iter_mut().map(|side| &mut side.samples);
        match trial.scenario.kind {
            ScenarioKind::Memory { sessions } => {
                samples.for_each(Vec::clear);
                let each: u64 = if trial.subject.starts_with("openssl") { 65 } else { 10 };
                let baseline_kib = 4000;
                let peak_kib =
                    baseline_kib + each * u64::from(sessions) + u64::from(trial.block % 3) * 4;
                measured.memory = Some(MemoryPoint { sessions, baseline_kib, peak_kib });
            }
            // Half a mebibyte an operation.
            ScenarioKind::Bulk { .. } => {
                samples.flatten().for_each(|s| s.bytes = s.operations << 19)
            }
            ScenarioKind::Handshake(_) => {}
        }
    }
}

fn night(number: u64, scenarios: &[Scenario]) -> RunRecord {
    let epoch = if number < MOVED { "0a1b2c3d4e5f6071" } else { "fedcba9876543210" };
    let mut names: Vec<&str> = RELEASES.iter().map(|(name, _)| *name).collect();
    names.extend([HEAD, HOSTILE]);
    let block = |block: u32| {
        testing::record_of(number, epoch, &names, scenarios, |subject, scenario| {
            let rate = rate(number, u64::from(block), subject, scenario);
            [rate, rate * 1.9]
        })
    };
    let mut record = block(0);
    for at in 1..BLOCKS {
        let more = block(at).trials.into_iter();
        record.trials.extend(more.map(|trial| shakedown_protocol::Trial { block: at, ..trial }));
    }
    record.plan.blocks = BLOCKS;
    fill(&mut record);
    for entry in &mut record.subjects {
        let source = &mut entry.artifact.source;
        if let SubjectVersion::Git { revision, .. } = &mut entry.artifact.subject.version {
            let web = "https://github.com/rustls/rustls";
            source.origin = if entry.name == HEAD { web } else { "javascript:alert(1)" }.to_owned();
            source.revision = Some(commit(number));
            *revision = commit(number);
            let built = entry.artifact.subject.to_string();
            for trial in record.trials.iter_mut().filter(|trial| trial.subject == entry.name) {
                trial.subject.clone_from(&built);
            }
            entry.name = built;
        } else {
            (source.kind, source.revision) = ("crate".to_owned(), None);
        }
    }
    record.host.name = "bench-1 <b>&amp;".to_owned();
    record.host.fit = number % 20 != 7;
    record
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("name the folder that becomes the history")?;
    let store = Store::open_or_create(Path::new(&folder))?;
    let scenarios: Vec<Scenario> =
        SCENARIOS.iter().map(|id| id.parse()).collect::<Result<_, _>>()?;
    for number in 0..NIGHTS {
        store.add(&serde_json::to_string(&night(number, &scenarios))?, testing::NOW)?;
    }
    Ok(())
}
