//! What clients of rustls verify can fail. For libraries with OpenSSL's interface, the driver's own tests show it.

use super::common::{root, shakedown};
use shakedown_protocol::{DRIVER_PROTOCOL, DriverRefusal, DriverReply, DriverRequest, Meter};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const SUBJECTS: [&str; 3] = ["rustls@0.23.46", "rustls@0.23.46+ring", "rustls@0.24.0-dev.2"];

/// The driver of a subject.
fn driver(subject: &str, folder: &Path) -> PathBuf {
    let output = shakedown(folder).args(["build", "--json", subject]).output().unwrap();
    let built: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    built[0]["binaries"][0].as_str().unwrap().into()
}

/// What a driver replies about a handshake with these options and certificates.
fn reply(driver: &Path, options: &str, pki: &Path) -> DriverReply {
    let request = DriverRequest {
        protocol: DRIVER_PROTOCOL,
        scenario: format!("handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256{options}")
            .parse()
            .unwrap(),
        meter: Meter::Time,
        pki: pki.to_owned(),
        warm_up_ms: 1,
        measure_ms: 5,
        batch_ms: 1,
        operations: 2,
        tickets: 2,
        seed: 7,
    };
    let mut child = Command::new(driver)
        .arg("measure")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let json = serde_json::to_vec(&request).unwrap();
    child.stdin.take().unwrap().write_all(&json).unwrap();
    serde_json::from_slice(&child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
#[ignore = "builds rustls"]
fn a_revoked_certificate_and_another_chain_are_found_out() {
    let folder = tempfile::tempdir().unwrap();
    let sound = root().join("bench/pki");
    let other = folder.path().join("pki");
    let copied = Command::new("cp").arg("-r").args([&sound, &other]).status();
    assert!(copied.unwrap().success());
    let files = other.join("ecdsa-p256/verification");
    fs::copy(files.join("intermediate-1.revoked.crl.pem"), files.join("intermediate-1.crl.pem"))
        .unwrap();
    fs::copy(files.join("chain-4.pem"), files.join("chain-3.pem")).unwrap();
    for subject in SUBJECTS {
        let driver = driver(subject, folder.path());
        for options in ["/crl", "/chain-3", "/chain-3/crl", "/roots-150", "/ocsp"] {
            match reply(&driver, options, &sound) {
                DriverReply::Measured(measured) => assert!(measured.checked > 1, "{subject}"),
                other => panic!("{subject} {options}: {other:?}"),
            }
        }
        match reply(&driver, "/crl", &other) {
            DriverReply::Refused(DriverRefusal::Failed(why)) => {
                assert!(why.to_lowercase().contains("revoked"), "{subject}: {why}");
            }
            other => panic!("{subject}: {other:?}"),
        }
        match reply(&driver, "/chain-3", &other) {
            DriverReply::Refused(DriverRefusal::Broken(why)) => {
                assert_eq!(why, "certificates: wanted 3, negotiated 4", "{subject}");
            }
            other => panic!("{subject}: {other:?}"),
        }
    }
}
