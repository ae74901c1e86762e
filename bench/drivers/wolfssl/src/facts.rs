//! What a connection negotiated, in the protocol's names.

use crate::ffi;
use shakedown_driver::{ConnectionInfo, DriverError, iana};
use shakedown_protocol::{CertificateKey, Group, TlsVersion};
use std::{ffi::CStr, slice};

/// Asks the library about a connection whose handshake is over. It does not tell what the peer signed with.
///
/// # Errors
/// For a value that has no name in the protocol.
pub fn of(session: *mut ffi::WOLFSSL) -> Result<ConnectionInfo, DriverError> {
    // SAFETY: the caller's session is alive; the version is a string that lives as long as the library.
    let (version, suite, resumed) = unsafe {
        (
            CStr::from_ptr(ffi::wolfSSL_get_version(session)),
            ffi::wolfSSL_get_current_cipher_suite(session),
            ffi::wolfSSL_session_reused(session) != 0,
        )
    };
    let version = match version.to_bytes() {
        b"TLSv1.2" => TlsVersion::Tls12,
        b"TLSv1.3" => TlsVersion::Tls13,
        _ => return Err(unknown("version", &version.to_string_lossy())),
    };
    let (cipher_suite, cipher_suite_name) = u16::try_from(suite)
        .ok()
        .and_then(iana::cipher_suite)
        .ok_or_else(|| unknown("cipher suite", &suite.to_string()))?;
    // A TLS 1.2 resumption exchanges no keys.
    let exchanged = !(resumed && version == TlsVersion::Tls12);
    Ok(ConnectionInfo {
        version,
        cipher_suite,
        cipher_suite_name,
        group: if exchanged { Some(group(session)?) } else { None },
        peer_key: peer_key(session)?,
        peer_signature: None,
        peer_certificates: None,
        ocsp_response: None,
        early_data: false,
        resumed: Some(resumed),
    })
}

fn unknown(what: &str, value: &str) -> DriverError {
    DriverError(format!("negotiated {what} {value}, which the protocol has no name for"))
}

fn group(session: *mut ffi::WOLFSSL) -> Result<Group, DriverError> {
    // SAFETY: the caller's session is alive; the name is a constant of the library.
    let name = unsafe {
        let name = ffi::wolfSSL_get_curve_name(session);
        if name.is_null() {
            return Err(DriverError("the library tells no group".to_owned()));
        }
        CStr::from_ptr(name)
    };
    match name.to_bytes() {
        b"SECP256R1" => Ok(Group::Secp256r1),
        b"SECP384R1" => Ok(Group::Secp384r1),
        b"X25519" => Ok(Group::X25519),
        _ => Err(unknown("group", &name.to_string_lossy())),
    }
}

fn peer_key(session: *mut ffi::WOLFSSL) -> Result<Option<CertificateKey>, DriverError> {
    // SAFETY: the caller's session is alive, and so is its chain.
    let leaf = unsafe {
        let chain = ffi::wolfSSL_get_peer_chain(session);
        if chain.is_null() || ffi::wolfSSL_get_chain_count(chain) == 0 {
            return Ok(None);
        }
        let length = usize::try_from(ffi::wolfSSL_get_chain_length(chain, 0)).unwrap_or(0);
        slice::from_raw_parts(ffi::wolfSSL_get_chain_cert(chain, 0), length)
    };
    let unnamed =
        || DriverError("the protocol has no name for the type of the peer's key".to_owned());
    let leaf = pki_types::CertificateDer::from(leaf);
    let leaf = webpki::EndEntityCert::try_from(&leaf).map_err(|_| unnamed())?;
    iana::key(&leaf.subject_public_key_info()).map(Some).ok_or_else(unnamed)
}
