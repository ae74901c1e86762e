//! How long the history takes to answer when it has grown: nightly runs of 40 subjects in 80
//! scenario-metrics, over the years given (1, 3 and 10 unless told).
//!
//!     cargo run --release -p shakedown-store --example growth -- 1 3 10

// The records that the tests are made of; not all of its helpers are needed here.
#[allow(dead_code)]
#[path = "../../src/testing.rs"]
mod testing;

use shakedown_protocol::{
    CertificateKey, CipherSuite, Group, Resumption, Scenario, ScenarioKind, TlsScenario,
    TlsVersion, Verification,
};
use shakedown_store::{
    Index, Store,
    change::{self, Rule},
    query::SeriesFilter,
};
pub use shakedown_store::{SeriesInfo, SeriesValue};
use std::{
    num::NonZeroU16,
    path::Path,
    time::{Duration, Instant},
};

const SUBJECTS: usize = 40;
const SCENARIOS: usize = 40;

fn scenarios() -> Vec<Scenario> {
    let mut all = Vec::new();
    for &version in TlsVersion::ALL {
        for &group in &[Group::X25519, Group::Secp256r1, Group::Secp384r1, Group::X25519MlKem768] {
            for &key in CertificateKey::ALL {
                for resumption in [Resumption::Full, Resumption::Ticket, Resumption::SessionId] {
                    let kind = ScenarioKind::Handshake(resumption);
                    let (cipher_suite, threads) = (CipherSuite::Aes256Gcm, NonZeroU16::MIN);
                    let one = TlsScenario {
                        kind,
                        version,
                        cipher_suite,
                        group,
                        key,
                        client_auth: false,
                        verification: Verification::default(),
                        tickets: None,
                        threads,
                        connections: None,
                        in_tree: false,
                    };
                    // Through its id, so that only what the protocol allows is left.
                    all.extend(one.to_string().parse::<Scenario>());
                }
            }
        }
    }
    all.truncate(SCENARIOS);
    assert_eq!(all.len(), SCENARIOS);
    all
}

/// The rate of one night: noise of half a percent, and a step now and then.
fn rate(night: u64, subject: usize, scenario: usize, side: u64) -> f64 {
    let mut z = night << 40 ^ (subject as u64) << 20 ^ (scenario as u64) << 8 ^ side;
    z = (z ^ (z >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 29)).wrapping_mul(0x94D0_49BB_1331_11EB);
    let noise = ((z >> 33) as f64 / (1_u64 << 31) as f64 - 0.5) / 100.0;
    let steps = (night + 13 * subject as u64) / 200 % 3;
    (1000.0 + 10.0 * subject as f64) * (1.0 + noise) * (1.0 + 0.03 * steps as f64)
}

fn text(night: u64, subjects: &[String], scenarios: &[Scenario]) -> String {
    let names: Vec<&str> = subjects.iter().map(String::as_str).collect();
    let record = testing::record_of(night, "0123456789abcdef", &names, scenarios, |s, at| {
        [rate(night, s, at, 0), rate(night, s, at, 1)]
    });
    serde_json::to_string(&record).expect("a record is JSON")
}

fn timed<T>(what: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let done = what();
    (done, start.elapsed())
}

/// Highest resident set of this process, in MiB.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.unwrap_or(0) / 1024
}

fn main() -> Result<(), shakedown_store::StoreError> {
    let years: Vec<u64> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let years = if years.is_empty() { vec![1, 3, 10] } else { years };
    let folder = std::env::var_os("GROWTH_DIR").unwrap_or_else(|| "target/growth".into());
    let store = Store::open_or_create(Path::new(&folder))?;
    let (scenarios, subjects) = (scenarios(), (0..SUBJECTS).map(|n| format!("openssl@3.{n}")));
    let subjects: Vec<String> = subjects.collect();
    println!(
        "years      points  add run   +index    trend  compare  backlog    night  +site    rebuild  peak MiB"
    );
    for years in years {
        grow(&store, years * 365 - 1, &subjects, &scenarios)?;
        measure(&store, years, &subjects, &scenarios)?;
    }
    Ok(())
}

/// Adds the nights that are missing, and packs the months that are over.
fn grow(
    store: &Store,
    nights: u64,
    subjects: &[String],
    scenarios: &[Scenario],
) -> Result<(), shakedown_store::StoreError> {
    let there = store.names()?.len() as u64;
    for night in there..nights {
        store.add(&text(night, subjects, scenarios), testing::NOW)?;
    }
    Ok(())
}

fn measure(
    store: &Store,
    years: u64,
    subjects: &[String],
    scenarios: &[Scenario],
) -> Result<(), shakedown_store::StoreError> {
    let (index, rebuild) = timed(|| Index::rebuild(store));
    drop(index?);
    let night = text(years * 365 - 1, subjects, scenarios);
    let (added, add) = timed(|| store.add(&night, testing::NOW));
    added?;
    let (index, update) = timed(|| Index::open(store));
    let index = index?.0;
    let id = scenarios[7].to_string();
    let which = SeriesFilter {
        scenario: Some(&id),
        subject: Some(&subjects[3]),
        side: Some("client"),
        metric: Some("handshakes"),
    };
    let (trends, trend) = timed(|| index.trends(&which, i64::MIN));
    assert!(trends?[0].points.len() as u64 >= years * 365);
    let (pairs, compare) = timed(|| index.compare(&subjects[0], &subjects[1]));
    assert_eq!(pairs?.len(), 2 * SCENARIOS);
    let rule = Rule::for_budget(1.0, 2 * SUBJECTS * SCENARIOS);
    let (found, changes) = timed(|| change::scan(store, &index, &[], &rule, testing::NOW));
    found?;
    // What the years had piled up is found now; a night finds its own only.
    let (found, night) = timed(|| change::scan(store, &index, &[], &rule, testing::NOW));
    found?;
    let out = store.root().join("site");
    let links = shakedown_store::site::SiteLinks::default();
    let (built, _) = timed(|| shakedown_store::site::build(store, &index, &out, &links));
    built?;
    let extra = text(years * 365, subjects, scenarios);
    store.add(&extra, testing::NOW)?;
    let index = Index::open(store)?.0;
    let (built, site) = timed(|| shakedown_store::site::build(store, &index, &out, &links));
    built?;
    let seconds = |time: Duration| format!("{:.3} s", time.as_secs_f64());
    println!(
        "{years:>5} {:>11} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>9} {:>8}",
        years * 365 * (2 * SUBJECTS * SCENARIOS) as u64,
        seconds(add),
        seconds(update),
        seconds(trend),
        seconds(compare),
        seconds(changes),
        seconds(night),
        seconds(site),
        seconds(rebuild),
        peak_mib()
    );
    Ok(())
}
