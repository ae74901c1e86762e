//! What a connection negotiated, in the protocol's names.

use crate::{ffi as ssl, interface};
use shakedown_driver::{ConnectionInfo, DriverError, iana};
use shakedown_protocol::{CertificateKey, CipherSuite, TlsVersion};
use std::ffi::c_int;

/// Asks the library about a connection whose handshake is over, from the end of a client or of a server. Early
/// data is for the caller to fill in.
///
/// # Errors
/// For a value that has no name in the protocol.
pub fn of(connection: *mut ssl::SSL, client: bool) -> Result<ConnectionInfo, DriverError> {
    // SAFETY: the caller's connection is alive.
    let (version, resumed) =
        unsafe { (ssl::SSL_version(connection), ssl::SSL_session_reused(connection) == 1) };
    let version = match version {
        ssl::TLS1_2_VERSION => TlsVersion::Tls12,
        ssl::TLS1_3_VERSION => TlsVersion::Tls13,
        other => return Err(DriverError(format!("negotiated version {other:#x}"))),
    };
    let (cipher_suite, cipher_suite_name) = cipher_suite(connection)?;
    // A TLS 1.2 resumption exchanges no keys; newer releases tell the session's group.
    let exchanged = !(resumed && version == TlsVersion::Tls12);
    Ok(ConnectionInfo {
        version,
        cipher_suite,
        cipher_suite_name,
        group: if exchanged { interface::group(connection)? } else { None },
        peer_key: peer_key(connection)?,
        peer_signature: interface::signature(connection),
        peer_certificates: if client { peer_certificates(connection) } else { None },
        ocsp_response: client.then(|| interface::is_stapled(connection)),
        early_data: false,
        resumed: Some(resumed),
    })
}

/// Numbers of the TLS registry.
fn cipher_suite(connection: *mut ssl::SSL) -> Result<(CipherSuite, &'static str), DriverError> {
    // SAFETY: the connection is alive and has a cipher after the handshake.
    let number =
        unsafe { ssl::SSL_CIPHER_get_protocol_id(ssl::SSL_get_current_cipher(connection)) };
    iana::cipher_suite(number)
        .ok_or_else(|| DriverError(format!("negotiated cipher suite {number:#06x}")))
}

fn peer_key(connection: *mut ssl::SSL) -> Result<Option<CertificateKey>, DriverError> {
    // Since 3.0 the other name is a macro.
    #[cfg(not(offered = "SSL_get1_peer_certificate"))]
    use ssl::SSL_get_peer_certificate as peer_certificate;
    #[cfg(offered = "SSL_get1_peer_certificate")]
    use ssl::SSL_get1_peer_certificate as peer_certificate;
    // SAFETY: the certificate and its key are references that are ours to free.
    let (kind, bits) = unsafe {
        let certificate = peer_certificate(connection);
        if certificate.is_null() {
            return Ok(None);
        }
        let key = ssl::X509_get_pubkey(certificate);
        let found = kind_and_bits(key);
        ssl::EVP_PKEY_free(key);
        ssl::X509_free(certificate);
        found
    };
    Ok(Some(match (kind, bits) {
        (ssl::NID_rsaEncryption, 2048) => CertificateKey::Rsa2048,
        (ssl::NID_rsaEncryption, 3072) => CertificateKey::Rsa3072,
        (ssl::NID_rsaEncryption, 4096) => CertificateKey::Rsa4096,
        (ssl::NID_X9_62_id_ecPublicKey, 256) => CertificateKey::EcdsaP256,
        (ssl::NID_X9_62_id_ecPublicKey, 384) => CertificateKey::EcdsaP384,
        (ssl::NID_ED25519, _) => CertificateKey::Ed25519,
        other => return Err(DriverError(format!("the peer's key has type and bits {other:?}"))),
    }))
}

/// How many certificates the server of this client sent.
#[cfg(offered = "OPENSSL_sk_num")]
fn peer_certificates(connection: *mut ssl::SSL) -> Option<u8> {
    // SAFETY: the connection is alive and owns the list, whose type the library erases.
    let number = unsafe {
        let chain = ssl::SSL_get_peer_cert_chain(connection);
        if chain.is_null() {
            return None;
        }
        ssl::OPENSSL_sk_num(chain.cast())
    };
    u8::try_from(number).ok()
}

/// How many certificates the server of this client sent, which nothing tells.
#[cfg(not(offered = "OPENSSL_sk_num"))]
const fn peer_certificates(_: *mut ssl::SSL) -> Option<u8> {
    None
}

/// The NID of a key's algorithm, and its size.
///
/// # Safety
/// The key is alive.
pub unsafe fn kind_and_bits(key: *const ssl::EVP_PKEY) -> (c_int, c_int) {
    // Since 3.0 the shorter names are macros.
    #[cfg(not(offered = "EVP_PKEY_get_bits"))]
    use ssl::EVP_PKEY_bits as bits;
    #[cfg(offered = "EVP_PKEY_get_bits")]
    use ssl::EVP_PKEY_get_bits as bits;
    #[cfg(offered = "EVP_PKEY_get_id")]
    use ssl::EVP_PKEY_get_id as kind;
    #[cfg(not(offered = "EVP_PKEY_get_id"))]
    use ssl::EVP_PKEY_id as kind;
    // SAFETY: the caller's key is alive.
    unsafe { (kind(key), bits(key)) }
}
