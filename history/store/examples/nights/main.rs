//! A history with something of everything, for looking at the dashboard and for its browser tests:
//! releases and a revision that moves, two host epochs, threads, memory, changes for the worse and
//! for the better, confirmed and dismissed, studies, and names that try to be markup. With a number of nights
//! nothing tries to be markup.
//!
//!     cargo run -p shakedown-store --example nights -- DIR [NIGHTS]

mod decided;
mod studies;

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

/// Nights, unless told.
const NIGHTS: u64 = 90;
/// Nights between the change of the revision that moves and the last one.
const SINCE: u64 = 30;
const BLOCKS: u32 = 5;
/// The newest host epoch.
const EPOCH: &str = "fedcba9876543210";

const RELEASES: [(&str, f64); 11] = [
    ("openssl@1.1.1w", 1.0),
    ("openssl@3.0.8", 0.82),
    ("openssl@3.2.1", 0.88),
    ("openssl@3.4.1", 0.93),
    ("openssl@3.5.4", 0.94),
    ("openssl@3.5.5", 0.95),
    ("openssl@4.0.3", 1.02),
    ("aws-lc@1.68.0", 1.45),
    ("s2n-tls@1.5.27", 1.15),
    ("rustls@0.23.45", 1.68),
    ("rustls@0.23.46", 1.7),
];
const HEAD: &str = "rustls@git:HEAD";
/// Its repository is no web address.
const HOSTILE: &str = "boringssl@git:main";

/// Scenarios, and the client's operations a second of OpenSSL 1.1.1.
const SCENARIOS: [(&str, f64); 14] = [
    ("handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256", 4000.0),
    ("handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/threads-2", 7700.0),
    ("handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256/threads-4", 14_400.0),
    ("handshake-full/tls1.2/aes256-gcm/x25519/rsa-2048", 5200.0),
    ("handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256", 9100.0),
    ("bulk/tls1.3/aes256-gcm/x25519/ecdsa-p256/write-16KiB", 2900.0),
    ("memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-100", 1.0),
    ("memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-1000", 1.0),
    ("memory/tls1.3/aes256-gcm/x25519/ecdsa-p256/sessions-5000", 1.0),
    ("handshake-full/tls1.3/aes256-gcm/x25519mlkem768/ecdsa-p256", 2300.0),
    ("handshake-full/tls1.3/aes256-gcm/secp256r1/ecdsa-p256", 4300.0),
    ("handshake-ticket/tls1.3/aes256-gcm/secp256r1/ecdsa-p256", 9900.0),
    ("handshake-ticket/tls1.2/aes256-gcm/x25519/rsa-2048", 31_000.0),
    ("bulk/tls1.2/aes256-gcm/x25519/rsa-2048/write-1KiB", 1900.0),
];

/// How many nights there are, and whether names try to be markup.
#[derive(Clone, Copy)]
struct Nights {
    count: u64,
    hostile: bool,
}

impl Nights {
    const fn host(self) -> &'static str {
        if self.hostile { "bench-1 <b>&amp;" } else { "bench-1" }
    }

    /// Night in which the host changed.
    const fn moved(self) -> u64 {
        self.count / 3
    }

    /// Night in which the revision that moves became slower.
    const fn slower(self) -> u64 {
        self.count - SINCE
    }
}

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
fn rate(nights: Nights, night: u64, block: u64, subject: usize, scenario: usize) -> f64 {
    let head = subject == RELEASES.len();
    // No library is ahead everywhere. The revision that moves is the newest release, with changes.
    let code = if head { RELEASES.len() - 1 } else { subject };
    let stack = RELEASES.get(code).map_or(1.32, |(_, factor)| *factor);
    let taste = 1.0 + 0.25 * wobble([7, code as u64 / 7, scenario as u64, 0]);
    let host = if night < nights.moved() { 0.9 } else { 1.0 };
    let slower = night >= nights.slower();
    let step = match scenario {
        0..=2 if head && slower => 0.95,
        5 if head && slower => 1.04,
        // Of a long history only: a change that a night later turned out to be the host.
        4 | 11 if head && nights.count > 200 && night >= nights.slower() - 90 => 1.06,
        3 | 12 if head && nights.count > 200 && (night + 140 >= nights.slower()) => 0.975,
        _ => 1.0,
    };
    let (place, run) = ((subject * 100 + scenario) as u64, [night, block]);
    let noise = 0.003 * wobble([place, run[0], 0, 1]) + 0.004 * wobble([place, run[0], run[1], 2]);
    SCENARIOS[scenario].1 * stack * taste * host * step * (1.0 + noise)
}

/// Peak memory instead of a rate, and bytes where data is carried.
fn fill(record: &mut RunRecord) {
    for trial in &mut record.trials {
        let TrialOutcome::Measured(measured) = &mut trial.outcome else { continue };
        let samples = measured.sides.iter_mut().map(|side| &mut side.samples);
        match trial.scenario.tls().map(|tls| tls.kind) {
            Some(ScenarioKind::Memory { sessions }) => {
                samples.for_each(Vec::clear);
                let each: u64 = match trial.subject.split('@').next() {
                    Some("openssl") => 65,
                    Some("rustls") => 10,
                    _ => 27,
                };
                let baseline_kib = 4000;
                let peak_kib =
                    baseline_kib + each * u64::from(sessions) + u64::from(trial.block % 3) * 4;
                measured.memory = Some(MemoryPoint { sessions, baseline_kib, peak_kib });
            }
            // A mebibyte an operation.
            Some(ScenarioKind::Bulk { .. }) => {
                samples.flatten().for_each(|s| s.bytes = s.operations << 20)
            }
            _ => {}
        }
    }
}

fn night(nights: Nights, number: u64, scenarios: &[Scenario]) -> RunRecord {
    let epoch = if number < nights.moved() { "0a1b2c3d4e5f6071" } else { EPOCH };
    let mut names: Vec<&str> = RELEASES.iter().map(|(name, _)| *name).collect();
    names.extend([HEAD, HOSTILE]);
    let block = |block: u32| {
        testing::record_of(number, epoch, &names, scenarios, |subject, scenario| {
            let rate = rate(nights, number, u64::from(block), subject, scenario);
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
            let plain = entry.name == HEAD || !nights.hostile;
            source.origin = if plain { web } else { "javascript:alert(1)" }.to_owned();
            let commit = commit(if entry.name == HEAD { number } else { number + 10_000 });
            source.revision = Some(commit.clone());
            *revision = commit;
            let built = entry.artifact.subject.to_string();
            for trial in record.trials.iter_mut().filter(|trial| trial.subject == entry.name) {
                trial.subject.clone_from(&built);
            }
            entry.name = built;
        } else {
            (source.kind, source.revision) = ("crate".to_owned(), None);
        }
    }
    record.host.name = nights.host().to_owned();
    record.host.cpu.model = "AMD EPYC 4244P".to_owned();
    record.host.fit = number % 20 != 7;
    record
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let folder = words.next().ok_or("name the folder that becomes the history")?;
    let asked = words.next().map(|word| word.parse()).transpose()?;
    let nights = Nights { count: asked.unwrap_or(NIGHTS), hostile: asked.is_none() };
    let store = Store::open_or_create(Path::new(&folder))?;
    let scenarios: Vec<Scenario> =
        SCENARIOS.iter().map(|(id, _)| id.parse()).collect::<Result<_, _>>()?;
    for number in 0..nights.count {
        store.add(&serde_json::to_string(&night(nights, number, &scenarios))?, testing::NOW)?;
        // As the nightly workflow does it; a week at once, because this is in a hurry.
        if number % 7 == 0 || number + 1 == nights.count {
            decided::look(&store, number)?;
        }
    }
    decided::decide(&store, nights, &scenarios)?;
    studies::add(&store, nights)?;
    if nights.hostile {
        store.add(&decided::hostile_import(), testing::NOW)?;
    }
    Ok(())
}
