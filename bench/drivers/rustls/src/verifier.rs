//! Full verification by WebPKI, noting which signature scheme the server used: rustls does
//! not tell afterwards.

use protocol::Key;
use rustls::{
    CertificateError, DigitallySignedStruct, Error, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    pki_types::{CertificateDer, ServerName, UnixTime, alg_id},
};
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
        scheme_name(SignatureScheme::from(self.scheme.load(Relaxed)))
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

const fn scheme_name(scheme: SignatureScheme) -> Option<&'static str> {
    Some(match scheme {
        SignatureScheme::RSA_PKCS1_SHA256 => "rsa_pkcs1_sha256",
        SignatureScheme::RSA_PKCS1_SHA384 => "rsa_pkcs1_sha384",
        SignatureScheme::RSA_PKCS1_SHA512 => "rsa_pkcs1_sha512",
        SignatureScheme::RSA_PSS_SHA256 => "rsa_pss_rsae_sha256",
        SignatureScheme::RSA_PSS_SHA384 => "rsa_pss_rsae_sha384",
        SignatureScheme::RSA_PSS_SHA512 => "rsa_pss_rsae_sha512",
        SignatureScheme::ECDSA_NISTP256_SHA256 => "ecdsa_secp256r1_sha256",
        SignatureScheme::ECDSA_NISTP384_SHA384 => "ecdsa_secp384r1_sha384",
        SignatureScheme::ED25519 => "ed25519",
        _ => return None,
    })
}

/// The type of the key in a certificate.
///
/// # Errors
/// For a certificate that can't be read, or a key that the protocol has no name for.
pub fn key_of(certificate: &CertificateDer<'_>) -> Result<Key, Error> {
    let unknown = || Error::InvalidCertificate(CertificateError::BadEncoding);
    let certificate = webpki::EndEntityCert::try_from(certificate).map_err(|_| unknown())?;
    let info = certificate.subject_public_key_info();
    let has = |algorithm: &[u8]| info.windows(algorithm.len()).any(|part| part == algorithm);
    [
        (Key::EcdsaP256, alg_id::ECDSA_P256),
        (Key::EcdsaP384, alg_id::ECDSA_P384),
        (Key::Rsa2048, alg_id::RSA_ENCRYPTION),
        (Key::Ed25519, alg_id::ED25519),
    ]
    .into_iter()
    .find_map(|(key, algorithm)| has(algorithm.as_ref()).then_some(key))
    .ok_or_else(unknown)
}
