//! s2n-tls chooses versions, cipher suites and groups by named policies only.

use shakedown_protocol::{
    CertificateKey, CipherSuite, DriverRefusal, Group, TlsScenario, TlsVersion,
};

/// The policies of a client and a server that negotiate what the scenario wants.
#[derive(Debug, Clone, Copy)]
pub struct Policies {
    /// Of the client.
    pub client: &'static str,
    /// Of the server.
    pub server: &'static str,
}

/// Finds them: those of release 0.3.47 were tried with each other. What is negotiated is checked on
/// every connection all the same.
///
/// # Errors
/// [`DriverRefusal::Unsupported`] where no two policies lead to the scenario.
pub fn of(scenario: &TlsScenario) -> Result<Policies, DriverRefusal> {
    let unsupported = |text: &str| Err(DriverRefusal::Unsupported(text.to_owned()));
    if scenario.key == CertificateKey::Ed25519 {
        return unsupported("s2n-tls has no Ed25519");
    }
    if scenario.client_auth && scenario.resumes() {
        return unsupported("s2n-tls does not resume sessions with a client's certificate");
    }
    let both = |name| Ok(Policies { client: name, server: name });
    match (scenario.version, scenario.cipher_suite, scenario.group) {
        (TlsVersion::Tls13, CipherSuite::Aes128Gcm, Group::Default) => both("default"),
        (TlsVersion::Tls13, CipherSuite::Aes128Gcm, Group::X25519) => both("20240417"),
        (TlsVersion::Tls13, CipherSuite::Aes128Gcm, Group::Secp256r1) => both("20240503"),
        (TlsVersion::Tls13, CipherSuite::Aes128Gcm, Group::X25519MlKem768) => both("default_pq"),
        (TlsVersion::Tls13, CipherSuite::Aes256Gcm, Group::X25519) => both("20190801"),
        (TlsVersion::Tls13, CipherSuite::Aes256Gcm, Group::Secp256r1) => both("20190802"),
        (TlsVersion::Tls12, CipherSuite::Aes128Gcm, Group::Secp256r1) => both("20190214_gcm"),
        (TlsVersion::Tls12, CipherSuite::Aes256Gcm, Group::Secp384r1) => {
            Ok(Policies { client: "20240417", server: "20210816_GCM" })
        }
        (version, suite, group) => {
            let text = format!(
                "s2n-tls is configured by named policies, and none leads to {suite} with {group} in {version}"
            );
            unsupported(&text)
        }
    }
}
