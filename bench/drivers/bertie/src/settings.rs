//! What both ends are given: the algorithms of a scenario, and the server's certificate and key.

use crate::worker::BertieWorker;
use bertie::{
    server::ServerDB,
    tls13crypto::{AeadAlgorithm, Algorithms, HashAlgorithm, KemScheme, SignatureScheme},
    tls13utils::Bytes,
};
use pki_types::{CertificateDer, PrivatePkcs8KeyDer, pem::PemObject};
use shakedown_driver::{DriverError, EndpointConfig, Endpoints, Pki, SERVER_NAME, iana};
use shakedown_protocol::{
    CertificateKey, CipherSuite, DriverRefusal, Group, TicketCount, TlsScenario, TlsVersion,
    Verification,
};
use std::sync::Arc;

/// What both ends are given; threads share it.
pub struct Settings(Arc<Shared>);

/// What the connections of all threads have in common.
pub struct Shared {
    /// Both ends negotiate these or fail.
    pub algorithms: Algorithms,
    /// The cipher suite among them, and its name.
    pub suite: (CipherSuite, &'static str),
    /// Certificate and key.
    pub server: ServerDB,
    /// The server's name, which a client asks for.
    pub name: Bytes,
    /// Where randomness starts; `None`: wherever the system says.
    pub seed: Option<u64>,
}

impl Settings {
    /// Reads certificate and key.
    ///
    /// # Errors
    /// What bertie does not have, or files that can't be read.
    pub fn new(setup: &EndpointConfig) -> Result<Self, DriverRefusal> {
        let (hash, aead, number) = match setup.scenario.cipher_suite {
            CipherSuite::Aes128Gcm => (HashAlgorithm::SHA256, AeadAlgorithm::Aes128Gcm, 0x1301),
            CipherSuite::Aes256Gcm => (HashAlgorithm::SHA384, AeadAlgorithm::Aes256Gcm, 0x1302),
            CipherSuite::Chacha20 => {
                (HashAlgorithm::SHA256, AeadAlgorithm::Chacha20Poly1305, 0x1303)
            }
        };
        let signature = SignatureScheme::EcdsaSecp256r1Sha256;
        let algorithms =
            Algorithms::new(hash, aead, signature, group(setup.scenario.group)?, false, false);
        let suite = iana::cipher_suite(number)
            .ok_or_else(|| DriverError(format!("cipher suite {number:#x} has no name")))?;
        let name = Bytes::from(SERVER_NAME.as_bytes());
        let server = server(&setup.pki, &name)?;
        Ok(Self(Arc::new(Shared { algorithms, suite, server, name, seed: setup.seed })))
    }
}

impl Endpoints for Settings {
    type Worker = BertieWorker;

    fn worker(&self) -> Result<BertieWorker, DriverError> {
        Ok(BertieWorker::new(&self.0))
    }
}

fn unsupported(text: impl Into<String>) -> DriverRefusal {
    DriverRefusal::Unsupported(text.into())
}

/// What bertie can't do of a scenario, whatever its group.
///
/// # Errors
/// [`DriverRefusal::Unsupported`] with the reason.
pub fn offers(scenario: &TlsScenario) -> Result<(), DriverRefusal> {
    if scenario.version != TlsVersion::Tls13 {
        return Err(unsupported("bertie is TLS 1.3 only"));
    }
    let tickets = scenario.tickets.is_some_and(|count| count != TicketCount::Zero);
    if scenario.resumes() || tickets {
        return Err(unsupported("bertie's servers keep no sessions and send no tickets"));
    }
    if scenario.client_auth {
        return Err(unsupported("bertie's clients have no certificates"));
    }
    if scenario.verification != Verification::default() {
        return Err(unsupported(
            "bertie's servers send one certificate, and its clients verify no chain",
        ));
    }
    if scenario.records().is_some() {
        return Err(unsupported(
            "the driver of this stack sends records of the library's size only",
        ));
    }
    match scenario.key {
        CertificateKey::EcdsaP256 => Ok(()),
        key if key.is_rsa() => {
            Err(unsupported("bertie does not tell how long a peer's RSA key is"))
        }
        key => Err(unsupported(format!("bertie has no {key} keys"))),
    }
}

fn group(group: Group) -> Result<KemScheme, DriverRefusal> {
    match group {
        Group::X25519 => Ok(KemScheme::X25519),
        Group::Secp256r1 => Ok(KemScheme::Secp256r1),
        Group::Default => {
            Err(unsupported("bertie has no default: each connection is told a group"))
        }
        group => Err(unsupported(format!("bertie has no {group}"))),
    }
}

/// The server's first certificate, for bertie sends one, and its key.
fn server(pki: &Pki, name: &Bytes) -> Result<ServerDB, DriverError> {
    let certificate = CertificateDer::from_pem_file(pki.server_chain())?;
    let key = PrivatePkcs8KeyDer::from_pem_file(pki.server_key())?;
    let scalar = scalar(key.secret_pkcs8_der())
        .ok_or_else(|| DriverError("no P-256 key in the key's file".to_owned()))?;
    Ok(ServerDB::new(name.clone(), Bytes::from(&*certificate), Bytes::from(scalar), None))
}

/// The private number in a PKCS #8 file: 32 bytes behind version 1 of `ECPrivateKey` (RFC 5915).
fn scalar(pkcs8: &[u8]) -> Option<&[u8]> {
    const HEAD: [u8; 5] = [0x02, 0x01, 0x01, 0x04, 32];
    let start = pkcs8.windows(HEAD.len()).position(|part| part == HEAD)? + HEAD.len();
    pkcs8.get(start..start + 32)
}
