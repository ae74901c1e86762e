//! The provider hides its algorithms: a wrapper around WebPKI's verifier leaves the note.

use super::Note;
#[allow(unused_imports, reason = "rustls 0.22 has an inherent method")]
use crate::number::Number as _;
#[cfg(signature = "verifier")]
use rustls::client::danger::PeerVerified;
#[cfg(signature = "verifier_of_identity")]
use rustls::crypto::VerifiedIdentity;
use rustls::{
    Error,
    client::{
        WebPkiServerVerifier,
        danger::{
            HandshakeSignatureValid, ServerIdentity, ServerVerifier, SignatureVerificationInput,
        },
    },
    crypto::{CryptoProvider, SignatureScheme},
};
use std::hash::Hasher;

/// The provider as it is.
pub fn noting(provider: CryptoProvider, _: &'static Note) -> CryptoProvider {
    provider
}

/// Full verification by WebPKI.
macro_rules! verify {
    ($builder:expr, $setup:expr, $roots:expr, $provider:expr, $note:expr) => {{
        let inner = $crate::verifier::webpki($setup, ::std::sync::Arc::clone($roots), $provider)?;
        let asks = $setup.scenario.verification.ocsp;
        let verifier = $crate::signature::Noting::new(inner, asks, $note);
        $builder.dangerous().with_custom_certificate_verifier(::std::sync::Arc::new(verifier) as _)
    }};
}

pub(crate) use verify;

/// WebPKI, which leaves a note.
#[derive(Debug)]
pub struct Noting {
    inner: WebPkiServerVerifier,
    /// Whether it asks for an OCSP response, which WebPKI itself does not.
    asks: bool,
    note: &'static Note,
}

impl Noting {
    /// Verifies as `inner` does.
    pub const fn new(inner: WebPkiServerVerifier, asks: bool, note: &'static Note) -> Self {
        Self { inner, asks, note }
    }

    fn look(&self, response: &[u8]) {
        if self.asks {
            self.note.put_response(response);
        }
    }
}

impl ServerVerifier for Noting {
    #[cfg(signature = "verifier")]
    fn verify_identity(&self, identity: &ServerIdentity<'_>) -> Result<PeerVerified, Error> {
        self.look(identity.ocsp_response);
        self.inner.verify_identity(identity)
    }

    #[cfg(signature = "verifier_of_identity")]
    fn verify_identity<'a>(
        &self,
        identity: &ServerIdentity<'a, '_>,
    ) -> Result<VerifiedIdentity<'a>, Error> {
        self.look(identity.ocsp_response);
        self.inner.verify_identity(identity)
    }

    fn verify_tls12_signature(
        &self,
        input: &SignatureVerificationInput<'_>,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.note.put(input.signature.scheme.get_u16());
        self.inner.verify_tls12_signature(input)
    }

    fn verify_tls13_signature(
        &self,
        input: &SignatureVerificationInput<'_>,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.note.put(input.signature.scheme.get_u16());
        self.inner.verify_tls13_signature(input)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.inner.supported_verify_schemes()
    }

    fn request_ocsp_response(&self) -> bool {
        self.asks || self.inner.request_ocsp_response()
    }

    fn hash_config(&self, hasher: &mut dyn Hasher) {
        self.inner.hash_config(hasher);
    }
}
