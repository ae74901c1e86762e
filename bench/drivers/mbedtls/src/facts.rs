//! What a connection negotiated, in the protocol's names.

use crate::ffi;
use shakedown_driver::{ConnectionInfo, DriverError, FirstFlight, iana};
use shakedown_protocol::{CertificateKey, TlsVersion};
use std::slice;

/// Asks the library about a connection whose handshake is over. It tells neither resumption nor the
/// group; the client saw them in the server's first flight. Nobody tells the signature.
///
/// # Errors
/// For a value that has no name in the protocol.
pub fn of(
    connection: &ffi::mbedtls_ssl_context,
    flight: Option<FirstFlight>,
) -> Result<ConnectionInfo, DriverError> {
    // SAFETY: the connection is alive.
    let (version, number) = unsafe {
        (
            // What the header's inline function does.
            connection.private_tls_version,
            ffi::mbedtls_ssl_get_ciphersuite_id_from_ssl(connection),
        )
    };
    let version = match version {
        ffi::MBEDTLS_SSL_VERSION_TLS1_2 => TlsVersion::Tls12,
        ffi::MBEDTLS_SSL_VERSION_TLS1_3 => TlsVersion::Tls13,
        other => return Err(DriverError(format!("negotiated version {other:#x}"))),
    };
    let (cipher_suite, cipher_suite_name) = u16::try_from(number)
        .ok()
        .and_then(iana::cipher_suite)
        .ok_or_else(|| DriverError(format!("negotiated cipher suite {number:#06x}")))?;
    Ok(ConnectionInfo {
        version,
        cipher_suite,
        cipher_suite_name,
        group: flight.and_then(|flight| flight.group),
        peer_key: peer_key(connection)?,
        peer_signature: None,
        peer_certificates: None,
        ocsp_response: None,
        early_data: false,
        resumed: flight.and_then(|flight| flight.resumed),
    })
}

fn peer_key(connection: &ffi::mbedtls_ssl_context) -> Result<Option<CertificateKey>, DriverError> {
    // SAFETY: the connection is alive, and so is its peer's certificate.
    let leaf = unsafe {
        let leaf = ffi::mbedtls_ssl_get_peer_cert(connection);
        if leaf.is_null() {
            return Ok(None);
        }
        slice::from_raw_parts((*leaf).raw.p, (*leaf).raw.len)
    };
    let unnamed =
        || DriverError("the protocol has no name for the type of the peer's key".to_owned());
    let leaf = pki_types::CertificateDer::from(leaf);
    let leaf = webpki::EndEntityCert::try_from(&leaf).map_err(|_| unnamed())?;
    iana::key(&leaf.subject_public_key_info()).map(Some).ok_or_else(unnamed)
}
