//! The provider lists the algorithms of each scheme: a wrapper around each leaves the note.

use super::Note;
#[allow(unused_imports, reason = "rustls 0.22 has an inherent method")]
use crate::number::Number as _;
use pki_types::{AlgorithmIdentifier, InvalidSignature, SignatureVerificationAlgorithm};
use rustls::crypto::CryptoProvider;

/// A provider whose handshake signatures leave their scheme in `note`.
pub fn noting(mut provider: CryptoProvider, note: &'static Note) -> CryptoProvider {
    let algorithms = &mut provider.signature_verification_algorithms;
    let wrapped: Vec<_> = algorithms
        .mapping
        .iter()
        .map(|(scheme, list)| {
            let number = scheme.get_u16();
            let wrap = |inner: &&'static dyn SignatureVerificationAlgorithm| {
                let noted: &'static Noted =
                    Box::leak(Box::new(Noted { inner: *inner, number, note }));
                noted as &'static dyn SignatureVerificationAlgorithm
            };
            (*scheme, &*list.iter().map(wrap).collect::<Vec<_>>().leak())
        })
        .collect();
    algorithms.mapping = wrapped.leak();
    provider
}

/// Full verification by WebPKI: by rustls's own verifier, unless the scenario asks for more than it has by
/// default.
macro_rules! verify {
    ($builder:expr, $setup:expr, $roots:expr, $provider:expr, $note:expr) => {{
        let (roots, asked) = (::std::sync::Arc::clone($roots), $setup.scenario.verification);
        if asked.crl || asked.ocsp {
            let verifier = $crate::verifier::webpki($setup, roots, $provider)?;
            let verifier: ::std::sync::Arc<::rustls::client::WebPkiServerVerifier> =
                ::std::sync::Arc::from(verifier);
            #[cfg(ocsp = "always")]
            let verifier =
                ::std::sync::Arc::new($crate::signature::NotingResponse::new(verifier, $note));
            $builder.dangerous().with_custom_certificate_verifier(verifier as _)
        } else {
            $builder.with_root_certificates(roots)
        }
    }};
}

pub(crate) use verify;

/// An algorithm for one scheme.
#[derive(Debug)]
struct Noted {
    inner: &'static dyn SignatureVerificationAlgorithm,
    number: u16,
    note: &'static Note,
}

impl SignatureVerificationAlgorithm for Noted {
    fn verify_signature(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), InvalidSignature> {
        self.note.put(self.number);
        self.inner.verify_signature(public_key, message, signature)
    }

    fn public_key_alg_id(&self) -> AlgorithmIdentifier {
        self.inner.public_key_alg_id()
    }

    fn signature_alg_id(&self) -> AlgorithmIdentifier {
        self.inner.signature_alg_id()
    }
}
