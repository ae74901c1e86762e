//! Certificates and keys, from files and of peers.

use pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use rustls::RootCertStore;
use shakedown_driver::{DriverError, iana};
use shakedown_protocol::CertificateKey;
use std::path::Path;

#[cfg(identity = "crypto_identity")]
use rustls::crypto::Identity as Own;
#[cfg(identity = "sign_identity")]
use rustls::sign::Identity as Own;
#[cfg(identity = "sign_peer_identity")]
use rustls::sign::PeerIdentity as Own;

#[cfg(peer = "root_peer_identity")]
use rustls::PeerIdentity as Peer;
#[cfg(any(peer = "crypto_identity", peer = "generic"))]
use rustls::crypto::Identity as Peer;
#[cfg(peer = "sign_identity")]
use rustls::sign::Identity as Peer;
#[cfg(peer = "sign_peer_identity")]
use rustls::sign::PeerIdentity as Peer;
#[cfg(peer = "verify_peer_identity")]
use rustls::verify::PeerIdentity as Peer;

/// A chain as a configuration takes it.
#[cfg(identity = "chain")]
pub fn own<T: From<Vec<CertificateDer<'static>>>>(path: &Path) -> Result<T, DriverError> {
    chain(path).map(T::from)
}

/// A chain as a configuration takes it.
#[cfg(not(identity = "chain"))]
pub fn own(path: &Path) -> Result<std::sync::Arc<Own<'static>>, DriverError> {
    let identity = Own::from_cert_chain(chain(path)?);
    identity
        .map(std::sync::Arc::new)
        .map_err(|_| DriverError(format!("{} is empty", path.display())))
}

/// Certificates of a PEM file.
pub fn chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, DriverError> {
    CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| DriverError(format!("{}: {error}", path.display())))
}

/// A store of the roots in PEM files.
pub fn roots(files: impl IntoIterator<Item: AsRef<Path>>) -> Result<RootCertStore, DriverError> {
    let mut roots = RootCertStore::empty();
    for file in files {
        for certificate in chain(file.as_ref())? {
            roots.add(certificate)?;
        }
    }
    Ok(roots)
}

/// The private key of a PEM file.
pub fn key(path: &Path) -> Result<PrivateKeyDer<'static>, DriverError> {
    PrivateKeyDer::from_pem_file(path)
        .map_err(|error| DriverError(format!("{}: {error}", path.display())))
}

/// The type of the key that a peer proved to have.
///
/// # Errors
/// For a raw public key.
#[cfg(not(peer = "certificates"))]
pub fn key_of(peer: &Peer) -> Result<CertificateKey, DriverError> {
    match peer {
        Peer::X509(chain) => key_in(&chain.end_entity),
        _ => Err(DriverError("the peer has no certificate".to_owned())),
    }
}

/// How many certificates a peer showed; `None` for a raw public key.
#[cfg(not(peer = "certificates"))]
pub fn certificates_of(peer: &Peer) -> Option<u8> {
    match peer {
        Peer::X509(chain) => u8::try_from(1 + chain.intermediates.len()).ok(),
        _ => None,
    }
}

/// The type of the key in a certificate.
///
/// # Errors
/// For a certificate that can't be read, or a key that the protocol has no name for.
pub fn key_in(certificate: &CertificateDer<'_>) -> Result<CertificateKey, DriverError> {
    let unknown =
        || DriverError("the protocol has no name for the type of the peer's key".to_owned());
    let certificate = webpki::EndEntityCert::try_from(certificate).map_err(|_| unknown())?;
    iana::key(&certificate.subject_public_key_info()).ok_or_else(unknown)
}
