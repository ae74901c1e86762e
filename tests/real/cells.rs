//! Each primitive, key and group on each subject.

use super::{
    SUBJECTS,
    common::{record, shakedown},
};
use shakedown_protocol::Meter;

/// Whether its locks are those of the C library, which the lock meter counts.
fn has_locks_of_c(subject: &str) -> bool {
    !subject.starts_with("go@")
}

/// What drivers refuse that measure the usual connections only.
const UNUSUAL: [&str; 6] = ["/chain-", "/roots-150", "/crl", "/ocsp", "/record-", "early-data/"];

/// What a subject lacks: each scenario of `tests/suites/cells.toml` that contains one of the texts.
fn lacks(subject: &str) -> Vec<&'static str> {
    let stack = subject.split('@').next().unwrap_or_default();
    let usual_only = ["bertie", "s2n-tls", "go", "mbedtls", "wolfssl", "gnutls"].contains(&stack);
    let unusual = UNUSUAL.iter().filter(|_| usual_only);
    library_lacks(subject).iter().chain(unusual).copied().collect()
}

/// What is not there below TLS and before it, and the keys and groups that a library does not have.
fn library_lacks(subject: &str) -> &'static [&'static str] {
    match subject {
        "aws-lc@0.47.0" => &["/fetch/"],
        "boringssl@5.4.0" => &["/fetch/", "/kem/", "chacha20/*/no-tag", "mlkem768/"],
        "openssl@1.1.1w" => &["/fetch/", "/kem/", "mlkem768/"],
        "rustls@0.23.46+ring" => &["/fetch/", "/kem/", "/no-tag", "rsa-2048/generate", "mlkem768/"],
        "rustls@0.23.46" => &["/fetch/", "/no-tag"],
        "rustls@0.24.0-dev.2" => &["/fetch/", "/no-tag", "early-data/"],
        "s2n-tls@0.3.47" => &["primitive/", "load/", "mlkem768/", "tls1.2/aes128-gcm/x25519/"],
        "bertie@0.1.0-pre.2" => &[
            "primitive/",
            "load/",
            "mlkem768/",
            "rsa-",
            "setup-context/",
            "setup-handshake/",
            "/tickets-1",
            "/tickets-4",
        ],
        "go@1.26.8" => &["primitive/", "load/", "/mlkem768/", "/tickets-4"],
        name if name == "mbedtls@0.3.1" || name.starts_with("wolfssl") => {
            &["primitive/", "load/", "mlkem768/"]
        }
        name if name.starts_with("gnutls") => {
            &["primitive/", "load/", "mlkem768/", "setup-context/", "setup-handshake/"]
        }
        "rustls@0.23.46+boringssl" | "rustls@0.23.46+rustcrypto" => {
            &["primitive/", "mlkem768/", "load/key/"]
        }
        name if name.starts_with("openssl@") => &[],
        // Their drivers measure TLS only.
        _ => &["primitive/", "mlkem768/"],
    }
}

#[test]
#[ignore = "builds every library"]
fn every_subject_does_every_primitive_key_and_group_or_says_why_not() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    shakedown(folder.path())
        .args(["run", "--suite", "tests/suites/cells.toml", "--as-named", "--seed", "1", "--out"])
        .arg(&out)
        .args(SUBJECTS.map(|known| known.subject))
        .assert()
        .success();
    let record = record(&out);
    for gap in &record.unsupported {
        let scenario = gap.scenario.to_string();
        let lacking = lacks(&gap.subject).iter().any(|part| contains(&scenario, part));
        let uncounted = gap.meter == Some(Meter::Locks) && !has_locks_of_c(&gap.subject);
        assert!(lacking || uncounted, "{} {scenario}: {}", gap.subject, gap.reason);
    }
    for entry in &record.subjects {
        for scenario in record.plan.scenarios.iter().map(ToString::to_string) {
            let measured = record.trials.iter().any(|trial| {
                trial.subject == entry.name
                    && trial.scenario.to_string() == scenario
                    && trial.measured().is_some_and(|measured| measured.checked > 0)
            });
            let lacking = lacks(&entry.name).iter().any(|part| contains(&scenario, part));
            assert!(measured != lacking, "{} {scenario}: measured {measured}", entry.name);
        }
    }
}

/// Whether a text has these parts one after the other.
fn contains(text: &str, parts: &str) -> bool {
    let mut rest = text;
    parts.split('*').all(|part| match rest.split_once(part) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}
