//! Full verification by WebPKI, noting which signature scheme the server used: rustls does
//! not tell afterwards.

use rustls::{
    client::{
        WebPkiServerVerifier,
        danger::{
            HandshakeSignatureValid, ServerIdentity, ServerVerifier, SignatureVerificationInput,
        },
    },
    crypto::{Identity, SignatureScheme, VerifiedIdentity},
    error::Error,
};
use shakedown_driver::{DriverError, iana};
use shakedown_protocol::Key;
use std::{
    hash::Hasher,
    sync::atomic::{AtomicU16, Ordering::Relaxed},
};

/// WebPKI, with a note of the last scheme. One worker's connections share it.
#[derive(Debug)]
pub struct Noting {
    inner: WebPkiServerVerifier,
    scheme: AtomicU16,
}

impl Noting {
    /// Verifies as `inner` does.
    pub const fn new(inner: WebPkiServerVerifier) -> Self {
        Self { inner, scheme: AtomicU16::new(0) }
    }

    /// IANA name of the scheme of the last signature.
    pub fn scheme(&self) -> Option<&'static str> {
        iana::signature(self.scheme.load(Relaxed))
    }

    fn note(&self, input: &SignatureVerificationInput<'_>) {
        self.scheme.store(input.signature.scheme.into(), Relaxed);
    }
}

impl ServerVerifier for Noting {
    fn verify_identity<'a>(
        &self,
        identity: &ServerIdentity<'a, '_>,
    ) -> Result<VerifiedIdentity<'a>, Error> {
        self.inner.verify_identity(identity)
    }

    fn verify_tls12_signature(
        &self,
        input: &SignatureVerificationInput<'_>,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.note(input);
        self.inner.verify_tls12_signature(input)
    }

    fn verify_tls13_signature(
        &self,
        input: &SignatureVerificationInput<'_>,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.note(input);
        self.inner.verify_tls13_signature(input)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }

    fn request_ocsp_response(&self) -> bool {
        self.inner.request_ocsp_response()
    }

    fn hash_config(&self, hasher: &mut dyn Hasher) {
        self.inner.hash_config(hasher);
    }
}

/// The type of the key that a peer proved to have.
///
/// # Errors
/// For an identity that can't be read, or a key that the protocol has no name for.
pub fn key_of(identity: &Identity<'_>) -> Result<Key, DriverError> {
    let unknown = || DriverError("the peer has a key without a name here".to_owned());
    let Identity::X509(chain) = identity else { return Err(unknown()) };
    let leaf = webpki::EndEntityCert::try_from(&chain.end_entity).map_err(|_| unknown())?;
    iana::key(&leaf.subject_public_key_info()).ok_or_else(unknown)
}
