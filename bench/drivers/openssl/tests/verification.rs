//! What a client verifies, on the library that `OPENSSL_DIR` names: what it got is what the scenario says, and
//! what it checks can fail.

mod common;

use common::{measured, pki, reply, request};
use shakedown_protocol::{DriverRefusal, DriverReply, DriverRequest, Negotiated, WireTraffic};
use std::{fs, path::Path, process::Command};

const KEYS: [&str; 6] = ["rsa-2048", "rsa-3072", "rsa-4096", "ecdsa-p256", "ecdsa-p384", "ed25519"];

fn id(version: &str, key: &str, options: &str) -> String {
    format!("handshake-full/{version}/aes256-gcm/x25519/{key}{options}")
}

fn handshake(id: &str) -> (Negotiated, WireTraffic) {
    let measured = measured(&request(id));
    (measured.negotiated.unwrap(), measured.wire.unwrap())
}

#[test]
fn a_chain_has_as_many_certificates_as_asked_for() {
    for version in ["tls1.2", "tls1.3"] {
        for key in KEYS {
            let bytes = ["/chain-1", "", "/chain-3", "/chain-4"].map(|option| {
                let (told, wire) = handshake(&id(version, key, option));
                let length = if option.is_empty() { 2 } else { option[7..].parse().unwrap() };
                assert_eq!(told.certificates, Some(length), "{version} {key}{option}");
                wire.server.bytes
            });
            // The smallest certificate, of Ed25519, has more than 350 bytes.
            assert!(
                bytes.is_sorted_by(|one, more| one + 350 < *more),
                "{version} {key}: {bytes:?}"
            );
        }
    }
}

#[test]
fn a_response_is_stapled_only_where_it_is_asked_for() {
    for version in ["tls1.2", "tls1.3"] {
        for (key, chain) in
            [("rsa-2048", ""), ("ecdsa-p256", "/chain-1"), ("ecdsa-p384", "/chain-4")]
        {
            let (told, wire) = handshake(&id(version, key, &format!("{chain}/ocsp")));
            assert_eq!(told.ocsp_response, Some(true), "{version} {key}");
            let (without, less) = handshake(&id(version, key, chain));
            assert_eq!(without.ocsp_response, Some(false), "{version} {key}");
            assert!(
                wire.server.bytes > less.server.bytes + 150,
                "{version} {key}: {wire:?} {less:?}"
            );
        }
    }
}

#[test]
fn everything_goes_together_and_with_each_kind_that_verifies() {
    let options = "/client-auth/chain-3/roots-150/crl/ocsp";
    for key in KEYS {
        let (told, _) = handshake(&id("tls1.3", key, options));
        assert_eq!((told.certificates, told.ocsp_response), (Some(3), Some(true)), "{key}");
    }
    for kind in ["setup-context", "setup-handshake", "setup-process"] {
        let id = format!("{kind}/tls1.2/aes128-gcm/x25519/ecdsa-p256{options}");
        assert_eq!(measured(&request(&id)).negotiated.unwrap().certificates, Some(3), "{id}");
    }
}

/// What the driver says where the first file of each pair has the content of the second.
fn with_files(options: &str, files: &[(&str, &str)]) -> String {
    let (from, name) = (pki(), format!("pki{}-{}", options.replace('/', "-"), files.len()));
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(&to).unwrap();
    let copied = Command::new("cp").arg("-r").args([&from.join("ecdsa-p256"), &to]).status();
    assert!(copied.unwrap().success());
    for (file, content) in files {
        let [content, file] = [(&*from, content), (&*to, file)]
            .map(|(root, name): (&Path, _)| root.join("ecdsa-p256/verification").join(name));
        fs::copy(content, file).unwrap();
    }
    let request = request(&id("tls1.3", "ecdsa-p256", options));
    match reply(&DriverRequest { pki: to, ..request }) {
        DriverReply::Measured(measured) => format!("measured {}", measured.checked),
        DriverReply::Refused(DriverRefusal::Failed(why) | DriverRefusal::Broken(why)) => why,
        DriverReply::Refused(other) => panic!("{other:?}"),
    }
}

#[test]
fn a_revoked_certificate_and_a_missing_list_end_the_handshake() {
    let said = with_files("/crl", &[]);
    assert!(said.starts_with("measured"), "{said}");
    let revoked = [("intermediate-1.crl.pem", "intermediate-1.revoked.crl.pem")];
    let said = with_files("/crl", &revoked);
    assert!(
        said.contains("certificate verify failed") || said.contains("CERTIFICATE_VERIFY_FAILED"),
        "{said}"
    );
    // Another issuer's list says nothing about the leaf.
    let said = with_files("/chain-3/crl", &[("intermediate-2.crl.pem", "root.crl.pem")]);
    assert!(!said.starts_with("measured"), "{said}");
    // Without the option nothing is looked up.
    let said = with_files("/chain-3", &revoked);
    assert!(said.starts_with("measured"), "{said}");
}

#[test]
fn a_server_with_another_chain_is_found_out() {
    let said = with_files("/chain-3", &[("chain-3.pem", "chain-4.pem")]);
    assert!(said.contains("certificates: wanted 3, negotiated 4"), "{said}");
}
