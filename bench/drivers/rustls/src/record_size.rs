//! How long records are, as rustls counts it.

use shakedown_protocol::{CipherSuite, RecordLimit, ScenarioKind, TlsScenario, TlsVersion};

/// The size of a record that holds as much as the scenario says; `None` for the protocol's.
pub fn of(scenario: &TlsScenario) -> Option<usize> {
    const HEADER: u64 = 5;
    let ScenarioKind::Bulk { record, .. } = scenario.kind else { return None };
    // Since July 2026 the size includes what encryption adds, about when this API came.
    let counts_encryption = cfg!(any(io = "input", io = "payloads", io = "handler"));
    let added = match (scenario.version, scenario.cipher_suite) {
        _ if !counts_encryption => 0,
        // The tag, and the type of the record.
        (TlsVersion::Tls13, _) => 16 + 1,
        (TlsVersion::Tls12, CipherSuite::Chacha20) => 16,
        // The tag, and a part of the nonce.
        (TlsVersion::Tls12, _) => 16 + 8,
    };
    (record != RecordLimit::Protocol).then_some((record.bytes() + HEADER + added) as usize)
}
