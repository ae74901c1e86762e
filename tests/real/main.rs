//! Real libraries, built from source and measured through the real command. Slow: run by
//! `scripts/test`, or by `cargo test --release --test real -- --ignored`.

mod cells;
#[path = "../common/mod.rs"]
mod common;
mod features;
mod go_driver;
mod verification;

use common::{record, shakedown};
use shakedown_protocol::{Group, Meter, RunRecord, Scenario, ScenarioKind, TrialOutcome};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// What is known of a subject.
struct Known {
    /// Its name; without a version if the system's is measured.
    subject: &'static str,
    /// The group that its ends agree on by themselves.
    default: Group,
    /// Whether it tells what the server signed with.
    tells_signature: bool,
    /// Scenarios of suite `smoke` that it can't do.
    lacks: &'static [&'static str],
}

const fn known(subject: &'static str, default: Group, lacks: &'static [&'static str]) -> Known {
    Known { subject, default, tells_signature: true, lacks }
}

const HYBRID: &str = "handshake-full/tls1.3/aes128-gcm/x25519mlkem768/rsa-2048";
const SESSION_ID_TLS12: &str = "handshake-session-id/tls1.2/aes256-gcm/x25519/ecdsa-p256";
const SESSION_ID: &str = "handshake-session-id/tls1.3/aes256-gcm/x25519/ecdsa-p256";

const TICKET_CLIENT_AUTH: &str = "handshake-ticket/tls1.3/chacha20/x25519/ecdsa-p256/client-auth";

/// s2n-tls has no policy that leads to ChaCha20, nor to X25519 in TLS 1.2.
const NO_POLICY: [&str; 10] = [
    SESSION_ID,
    TICKET_CLIENT_AUTH,
    "bulk/tls1.2/aes128-gcm/x25519/ecdsa-p256/write-16KiB/total-1MiB",
    "bulk/tls1.2/chacha20/x25519/ecdsa-p256/write-16KiB/total-1MiB",
    "bulk/tls1.3/chacha20/x25519/ecdsa-p256/write-16KiB/total-1MiB",
    "handshake-full/tls1.2/aes256-gcm/x25519/ecdsa-p256",
    "handshake-full/tls1.3/chacha20/x25519/ecdsa-p256/client-auth",
    SESSION_ID_TLS12,
    "handshake-ticket/tls1.2/aes256-gcm/x25519/ecdsa-p256",
    "memory/tls1.2/aes256-gcm/x25519/ecdsa-p256/sessions-20",
];

/// Bertie has full handshakes of TLS 1.3 with a P-256 key, without a client's certificate.
const FULL_P256: [&str; 13] = [
    HYBRID,
    SESSION_ID,
    SESSION_ID_TLS12,
    TICKET,
    TICKET_CLIENT_AUTH,
    TICKET_TLS12,
    "bulk/tls1.2/aes128-gcm/x25519/ecdsa-p256/write-16KiB/total-1MiB",
    "bulk/tls1.2/chacha20/x25519/ecdsa-p256/write-16KiB/total-1MiB",
    "handshake-full/tls1.2/aes256-gcm/x25519/ecdsa-p256",
    "handshake-full/tls1.3/aes128-gcm/default/rsa-2048",
    "handshake-full/tls1.3/aes128-gcm/secp256r1/rsa-2048",
    "handshake-full/tls1.3/chacha20/x25519/ecdsa-p256/client-auth",
    "memory/tls1.2/aes256-gcm/x25519/ecdsa-p256/sessions-20",
];

/// Providers of rustls that encrypt no tickets, and one that has no ML-KEM either.
const NO_TICKETS: [&str; 3] = [TICKET_CLIENT_AUTH, TICKET_TLS12, TICKET];
const NO_TICKETS_NO_HYBRID: [&str; 4] = [HYBRID, TICKET_CLIENT_AUTH, TICKET_TLS12, TICKET];
const TICKET_TLS12: &str = "handshake-ticket/tls1.2/aes256-gcm/x25519/ecdsa-p256";
const TICKET: &str = "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256";

/// One of each kind: the oldest and the newest OpenSSL, the LTS, the libraries that come from it, those with
/// interfaces of their own, the providers of rustls and the API to come, and what the system has.
const SUBJECTS: [Known; 18] = [
    known("aws-lc@0.47.0", Group::X25519MlKem768, &[SESSION_ID]),
    known("bertie@0.1.0-pre.2", Group::X25519, &FULL_P256),
    known("boringssl@5.4.0", Group::X25519MlKem768, &[SESSION_ID]),
    known("gnutls", Group::Secp256r1, &[HYBRID, SESSION_ID]),
    known("go@1.26.8", Group::X25519MlKem768, &[SESSION_ID_TLS12]),
    Known {
        tells_signature: false,
        ..known("mbedtls@0.3.1", Group::X25519, &[HYBRID, SESSION_ID, TICKET_CLIENT_AUTH])
    },
    known("openssl@1.1.1w", Group::X25519, &[HYBRID]),
    known("openssl@3.5.5", Group::X25519MlKem768, &[]),
    known("openssl@4.0.3", Group::X25519MlKem768, &[]),
    known("rustls@0.23.46", Group::X25519MlKem768, &[]),
    known("rustls@0.23.46+clang+graviola", Group::X25519MlKem768, &[]),
    known("rustls@0.23.46+boringssl", Group::X25519MlKem768, &NO_TICKETS),
    known("rustls@0.23.46+openssl", Group::X25519MlKem768, &NO_TICKETS),
    known("rustls@0.23.46+ring", Group::X25519, &[HYBRID]),
    known("rustls@0.23.46+rustcrypto", Group::X25519, &NO_TICKETS_NO_HYBRID),
    known("rustls@0.24.0-dev.2", Group::X25519MlKem768, &[]),
    known("s2n-tls@0.3.47", Group::X25519MlKem768, &NO_POLICY),
    Known { tells_signature: false, ..known("wolfssl", Group::Secp256r1, &[HYBRID, SESSION_ID]) },
];

/// What is known of the subject of that name in a record.
fn about(name: &str) -> &'static Known {
    let of_the_system = name.split('@').next();
    let mut all = SUBJECTS.iter();
    let found = all.find(|known| known.subject == name || Some(known.subject) == of_the_system);
    found.unwrap_or_else(|| panic!("{name} was not asked for"))
}

/// Scenarios of suite `smoke` that the subjects can't do.
fn gaps(record: &RunRecord) -> BTreeSet<(String, String)> {
    let of = |name: &String| {
        let lacks = about(name).lacks.iter();
        lacks.map(|scenario| (name.clone(), (*scenario).to_owned())).collect::<Vec<_>>()
    };
    record.subjects.iter().flat_map(|entry| of(&entry.name)).collect()
}

#[test]
#[ignore = "builds every library"]
fn every_subject_does_every_family_or_says_why_not() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let output = shakedown(folder.path())
        .args(["run", "--suite", "smoke", "--as-named", "--json", "--seed", "1", "--out"])
        .arg(&out)
        .args(SUBJECTS.map(|known| known.subject))
        .assert()
        .success()
        .get_output()
        .clone();
    let record = record(&out);
    assert!(record.finish.is_some());

    let unsupported = record.unsupported.iter();
    let unsupported: BTreeSet<(String, String)> =
        unsupported.map(|gap| (gap.subject.clone(), gap.scenario.to_string())).collect();
    assert_eq!(unsupported, gaps(&record), "{:#?}", record.unsupported);

    for trial in &record.trials {
        assert!(
            trial.measured().is_some(),
            "{} {}: {:?}",
            trial.subject,
            trial.scenario,
            trial.outcome
        );
    }
    each_scenario_is_measured(&record);
    facts_are_those_of_the_libraries(&record);

    let rows: Vec<BTreeMap<String, serde_json::Value>> =
        serde_json::from_slice(&output.stdout).unwrap();
    for field in [
        "subject", "scenario", "side", "metric", "unit", "better", "n", "median", "low", "high",
        "warnings",
    ] {
        assert!(rows.iter().all(|row| row.contains_key(field)), "{field} is missing");
    }
    for name in ["record.json", "report.md", "report.html"] {
        assert!(out.join(name).metadata().unwrap().len() > 1000, "{name} is short");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains(name), "the command names {name}: {said}");
    }
}

fn each_scenario_is_measured(record: &RunRecord) {
    for entry in &record.subjects {
        for scenario in &record.plan.scenarios {
            let gap = record
                .unsupported
                .iter()
                .any(|gap| gap.subject == entry.name && gap.scenario == *scenario);
            let has = record.trials.iter().any(|trial| {
                trial.subject == entry.name
                    && trial.scenario == *scenario
                    && trial.meter == Meter::Time
            });
            assert!(has != gap, "{} {scenario}: measured {has}, unsupported {gap}", entry.name);
        }
    }
}

/// What is known of these releases, asserted from outside of the drivers.
fn facts_are_those_of_the_libraries(record: &RunRecord) {
    let default: Scenario = "handshake-full/tls1.3/aes128-gcm/default/rsa-2048".parse().unwrap();
    for trial in &record.trials {
        let TrialOutcome::Measured(measured) = &trial.outcome else { continue };
        let Some(agreed) = &measured.negotiated else { continue };
        let what = format!("{} {}: {measured:?}", trial.subject, trial.scenario);
        if trial.scenario == default {
            assert_eq!(agreed.group, Some(about(&trial.subject).default), "{what}");
        }
        if !agreed.resumed {
            let tells = about(&trial.subject).tells_signature;
            assert_eq!(agreed.signature.is_some(), tells, "{what}");
        }
        assert!(measured.checked > 0, "{what}");
        let wire = measured.wire.unwrap();
        assert!(wire.server.bytes > 0 && wire.server.records > 0, "{what}");
        match trial.scenario.tls().expect("it negotiated").kind {
            ScenarioKind::Bulk { write, .. } => {
                assert!(wire.server.bytes > write.0, "{what}");
            }
            ScenarioKind::Handshake(_) | ScenarioKind::Setup(_) => {
                // The client speaks first and, whatever the version, at least once more.
                assert!(wire.client.flights >= 2, "{what}");
            }
            ScenarioKind::Memory { sessions } => {
                let memory = measured.memory.expect("memory is measured");
                assert_eq!(memory.sessions, sessions, "{what}");
                assert!(memory.peak_kib > memory.baseline_kib, "{what}");
            }
        }
    }
}

#[test]
#[ignore = "builds OpenSSL"]
fn a_killed_run_is_finished_by_resume() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let binary = assert_cmd::cargo::cargo_bin("shakedown");
    let mut child = Command::new(binary)
        .current_dir(common::root())
        .env("SHAKEDOWN_LOCK", folder.path().join("lock"))
        .args(["run", "--suite", "smoke", "--blocks", "3", "--seed", "7", "--out"])
        .arg(&out)
        .arg("openssl@3.5.5")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Some trials in, somewhere in the middle of one.
    let began = Instant::now();
    while trials_on_disk(&out) < 10 {
        assert!(began.elapsed() < Duration::from_secs(900), "the run does not get going");
        assert_eq!(child.try_wait().unwrap(), None, "the run ended before it could be killed");
        thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    let killed = trials_on_disk(&out);
    shakedown(folder.path()).args(["run", "--resume"]).arg(&out).assert().success();
    let record = record(&out);
    let finish = record.finish.as_ref().expect("it is finished");
    assert_eq!(record.trials.len() as u64, finish.planned);
    assert!(record.trials.len() > killed, "{} after {killed}", record.trials.len());
}

fn trials_on_disk(out: &std::path::Path) -> usize {
    let text = std::fs::read_to_string(out.join("record.json")).unwrap_or_default();
    let trial = |line: &&str| line.trim_start_matches(',').starts_with("{\"block\"");
    text.lines().filter(trial).count()
}

#[test]
#[ignore = "builds rustls"]
fn a_head_that_does_not_build_is_named_and_base_is_not_blamed() {
    let folder = tempfile::tempdir().unwrap();
    let head = folder.path().join("head");
    let library = head.join("rustls");
    fs::create_dir_all(library.join("src")).unwrap();
    fs::write(head.join("Cargo.toml"), "[workspace]\nmembers = [\"rustls\"]\n").unwrap();
    let manifest = "[package]\nname = \"rustls\"\nversion = \"0.23.46\"\nedition = \"2021\"\n\n[features]\n\
        aws-lc-rs = []\naws_lc_rs = []\nring = []\nstd = []\ntls12 = []\nlogging = []\nprefer-post-quantum = []\n";
    fs::write(library.join("Cargo.toml"), manifest).unwrap();
    fs::write(library.join("src/lib.rs"), "this does not compile\n").unwrap();
    let head = format!("rustls@path:{}", head.display());
    let failed = shakedown(folder.path())
        .args(["compare", "rustls@0.23.46", &head, "--suite", "smoke", "--out"])
        .arg(folder.path().join("out"))
        .assert()
        .code(3);
    let said = String::from_utf8(failed.get_output().stderr.clone()).unwrap();
    // The compiler's own errors stand above ours.
    let blamed = said.rmatch_indices("\nerror: ").find(|(at, _)| said[*at..].contains(&head));
    let blamed = &said[blamed.expect("head is named").0..];
    assert!(blamed.contains("does not compile") && !blamed.contains("rustls@0.23.46 "), "{said}");
    assert!(said.contains("this does not compile"), "no log: {said}");
    assert!(!folder.path().join("out/record.json").exists(), "nothing was measured");
}
