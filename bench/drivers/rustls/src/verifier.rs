//! Full verification by WebPKI, noting which signature scheme the server used: rustls does
//! not tell afterwards.

use rustls::{
    DigitallySignedStruct, Error, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    pki_types::{CertificateDer, ServerName, UnixTime},
};
use shakedown_driver::{DriverError, iana};
use shakedown_protocol::Key;
use std::sync::{
    Arc,
    atomic::{AtomicU16, Ordering::Relaxed},
};

/// WebPKI, with a note of the last scheme. One worker's connections share it.
#[derive(Debug)]
pub struct Noting {
    inner: Arc<WebPkiServerVerifier>,
    scheme: AtomicU16,
}

impl Noting {
    /// Verifies as `inner` does.
    pub const fn new(inner: Arc<WebPkiServerVerifier>) -> Self {
        Self { inner, scheme: AtomicU16::new(0) }
    }

    /// IANA name of the scheme of the last signature.
    pub fn scheme(&self) -> Option<&'static str> {
        iana::signature(self.scheme.load(Relaxed))
    }

    fn note(&self, signed: &DigitallySignedStruct) {
        self.scheme.store(u16::from(signed.scheme), Relaxed);
    }
}

impl ServerCertVerifier for Noting {
    fn verify_server_cert(
        &self,
        leaf: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        self.inner.verify_server_cert(leaf, intermediates, name, ocsp, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.note(signed);
        self.inner.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.note(signed);
        self.inner.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }
}

/// The type of the key in a certificate.
///
/// # Errors
/// For a certificate that can't be read, or a key that the protocol has no name for.
pub fn key_of(certificate: &CertificateDer<'_>) -> Result<Key, DriverError> {
    let unknown = || DriverError("the peer's certificate has a key without a name here".to_owned());
    let certificate = webpki::EndEntityCert::try_from(certificate).map_err(|_| unknown())?;
    iana::key(&certificate.subject_public_key_info()).ok_or_else(unknown)
}
