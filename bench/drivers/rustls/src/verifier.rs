//! WebPKI's verifier of servers, as a scenario wants it.

use pki_types::{CertificateRevocationListDer, pem::PemObject};
use rustls::{RootCertStore, client::WebPkiServerVerifier, crypto::CryptoProvider};
use shakedown_driver::{DriverError, EndpointConfig};
use shakedown_protocol::{DriverRefusal, TlsScenario};
use std::sync::Arc;

/// What a builder builds.
#[cfg(server_verifier = "plain")]
pub type Built = WebPkiServerVerifier;
/// What a builder builds.
#[cfg(not(server_verifier = "plain"))]
pub type Built = Arc<WebPkiServerVerifier>;

/// Whether a verifier of ours can ask for OCSP responses and see them.
const SEES_RESPONSES: bool =
    cfg!(any(ocsp = "always", signature = "verifier", signature = "verifier_of_identity"));

/// Whether the driver can have the server verified so.
///
/// # Errors
/// [`DriverRefusal::Unsupported`] if it can't with the API of this revision.
pub fn offers(scenario: &TlsScenario) -> Result<(), DriverRefusal> {
    if scenario.verification.ocsp && !SEES_RESPONSES {
        let text = "in this revision the driver does not see whether an OCSP response arrived";
        return Err(DriverRefusal::Unsupported(text.to_owned()));
    }
    Ok(())
}

/// Full verification, with the scenario's revocation lists. Each certificate must be in the reach of one.
///
/// # Errors
/// For a list that can't be read.
pub fn webpki(
    setup: &EndpointConfig,
    roots: Arc<RootCertStore>,
    provider: &Arc<CryptoProvider>,
) -> Result<Built, DriverError> {
    #[cfg(server_verifier = "owned_provider")]
    let builder = WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(provider));
    #[cfg(server_verifier = "borrowed_provider")]
    let builder = WebPkiServerVerifier::builder_with_provider(roots, provider);
    #[cfg(any(server_verifier = "shared", server_verifier = "plain"))]
    let builder = WebPkiServerVerifier::builder(roots, provider);
    let mut lists = Vec::new();
    for file in setup.pki.revocation_lists() {
        let list = CertificateRevocationListDer::from_pem_file(&file)
            .map_err(|error| DriverError(format!("{}: {error}", file.display())))?;
        lists.push(list);
    }
    Ok(builder.with_crls(lists).build()?)
}
