use super::*;
use crate::{CertificateKey, CipherSuite, Group, Negotiated, TlsVersion};

pub(crate) fn full() -> Scenario {
    "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256".parse().unwrap()
}

pub(crate) fn negotiated() -> Negotiated {
    Negotiated {
        version: TlsVersion::Tls13,
        cipher_suite: CipherSuite::Aes256Gcm,
        cipher_suite_name: "TLS_AES_256_GCM_SHA384".to_owned(),
        group: Some(Group::X25519),
        key: Some(CertificateKey::EcdsaP256),
        signature: Some("ecdsa_secp256r1_sha256".to_owned()),
        resumed: false,
        client_auth: false,
        certificates: Some(2),
        ocsp_response: None,
        early_data: false,
    }
}

#[test]
fn a_resumption_that_did_not_resume_is_a_difference() {
    let ticket: crate::TlsScenario =
        "handshake-ticket/tls1.3/aes256-gcm/x25519/ecdsa-p256".parse().unwrap();
    assert_eq!(negotiated().differences(full().tls().unwrap()), []);
    let texts: Vec<String> =
        negotiated().differences(&ticket).iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["resumed: wanted true, negotiated false"]);
}

#[test]
fn what_a_client_is_to_verify_must_be_told() {
    let id = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
    let differs = |options: &str, certificates, ocsp_response| {
        let scenario: crate::TlsScenario = format!("{id}{options}").parse().unwrap();
        let told = Negotiated { certificates, ocsp_response, ..negotiated() };
        let found = told.differences(&scenario).into_iter().map(|one| one.to_string());
        found.collect::<Vec<_>>().join("; ")
    };
    assert_eq!(differs("", None, None), "", "a record that was made before");
    assert_eq!(differs("", Some(2), Some(false)), "");
    assert_eq!(differs("", Some(3), None), "certificates: wanted 2, negotiated 3");
    assert_eq!(differs("/chain-4", Some(4), None), "");
    assert_eq!(differs("/roots-150", None, None), "certificates: wanted 2, negotiated unknown");
    assert_eq!(differs("/ocsp", Some(2), Some(true)), "");
    assert_eq!(differs("/ocsp", Some(2), None), "ocsp-response: wanted true, negotiated unknown");
    assert_eq!(differs("", Some(2), Some(true)), "ocsp-response: wanted false, negotiated true");
}

#[test]
fn what_was_negotiated_before_reads_and_prints_as_it_was() {
    let json = r#"{"version":"tls1.3","cipher_suite":"aes256-gcm","cipher_suite_name":"TLS_AES_256_GCM_SHA384","group":"x25519","key":"ecdsa-p256","signature":"ecdsa_secp256r1_sha256","resumed":false,"client_auth":false}"#;
    let told: Negotiated = serde_json::from_str(json).unwrap();
    assert_eq!(told.differences(full().tls().unwrap()), []);
    assert_eq!(serde_json::to_string(&told).unwrap(), json);
}

#[test]
fn each_fact_is_compared() {
    let wrong = Negotiated {
        version: TlsVersion::Tls12,
        cipher_suite: CipherSuite::Chacha20,
        group: None,
        key: Some(CertificateKey::Rsa2048),
        resumed: true,
        client_auth: true,
        ..negotiated()
    };
    assert_eq!(
        wrong.differences(full().tls().unwrap()).len(),
        3,
        "{:?}",
        wrong.differences(full().tls().unwrap())
    );
    let wrong = Negotiated { resumed: false, ..wrong };
    assert_eq!(
        wrong.differences(full().tls().unwrap()).len(),
        5,
        "{:?}",
        wrong.differences(full().tls().unwrap())
    );
}

#[test]
fn a_default_group_may_be_any_but_must_be_known() {
    let scenario: crate::TlsScenario =
        "handshake-full/tls1.3/aes256-gcm/default/ecdsa-p256".parse().unwrap();
    let hybrid = Negotiated { group: Some(Group::X25519MlKem768), ..negotiated() };
    assert!(hybrid.differences(&scenario).is_empty());
}

#[test]
fn a_rate_is_the_median_over_batches_summed_over_threads() {
    let sample =
        |operations, thread| Sample { operations, nanoseconds: 1_000_000_000, bytes: 0, thread };
    let one = [sample(10, 0), sample(30, 0), sample(20, 0)];
    assert_eq!(rate(Metric::Handshakes, &one), Some(20.0));
    let two = [sample(10, 0), sample(30, 1), sample(50, 1)];
    assert_eq!(rate(Metric::Handshakes, &two), Some(50.0));
    assert_eq!(rate(Metric::Handshakes, &[]), None);
}

#[test]
fn records_from_before_the_cipher_suite_had_its_name_are_read() {
    let negotiated = negotiated();
    let new = serde_json::to_string(&negotiated).unwrap();
    let old = new.replace("cipher_suite", "suite");
    assert_ne!(old, new);
    assert_eq!(serde_json::from_str::<Negotiated>(&old).unwrap(), negotiated);
}
