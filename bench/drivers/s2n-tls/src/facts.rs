//! What a connection negotiated, in the protocol's names.

use crate::error::{check, failure};
use s2n_tls_sys as s2n;
use shakedown_driver::{ConnectionInfo, DriverError, iana};
use shakedown_protocol::{CertificateKey, Group, TlsVersion};
use std::{
    ffi::{CStr, c_char},
    ptr, slice,
};

/// Asks the library about a connection whose handshake is over.
///
/// # Errors
/// For a value that has no name in the protocol.
pub fn of(connection: *mut s2n::s2n_connection) -> Result<ConnectionInfo, DriverError> {
    // SAFETY: the caller's connection is alive.
    let (version, resumed) = unsafe {
        (
            s2n::s2n_connection_get_actual_protocol_version(connection),
            s2n::s2n_connection_is_session_resumed(connection) == 1,
        )
    };
    let version = match version {
        s2n::s2n_tls_version::TLS12 => TlsVersion::Tls12,
        s2n::s2n_tls_version::TLS13 => TlsVersion::Tls13,
        other => return Err(DriverError(format!("negotiated version {other}"))),
    };
    let (mut high, mut low) = (0, 0);
    // SAFETY: as above; the library writes the two bytes.
    check("s2n_connection_get_cipher_iana_value", unsafe {
        s2n::s2n_connection_get_cipher_iana_value(connection, &mut high, &mut low)
    })?;
    let number = u16::from_be_bytes([high, low]);
    let (cipher_suite, cipher_suite_name) = iana::cipher_suite(number)
        .ok_or_else(|| DriverError(format!("negotiated cipher suite {number:#06x}")))?;
    // A TLS 1.2 resumption exchanges no keys.
    let exchanged = !(resumed && version == TlsVersion::Tls12);
    Ok(ConnectionInfo {
        version,
        cipher_suite,
        cipher_suite_name,
        group: if exchanged { Some(group(connection)?) } else { None },
        peer_key: if resumed { None } else { peer_key(connection)? },
        peer_signature: if resumed { None } else { signature(connection) },
        peer_certificates: None,
        ocsp_response: None,
        early_data: false,
        resumed: Some(resumed),
    })
}

fn group(connection: *mut s2n::s2n_connection) -> Result<Group, DriverError> {
    let mut name: *const c_char = ptr::null();
    // SAFETY: the caller's connection is alive; names are constants of the library.
    let name = unsafe {
        let told = s2n::s2n_connection_get_key_exchange_group(connection, &mut name);
        check("s2n_connection_get_key_exchange_group", told)?;
        CStr::from_ptr(name)
    };
    match name.to_bytes() {
        b"secp256r1" => Ok(Group::Secp256r1),
        b"secp384r1" => Ok(Group::Secp384r1),
        b"x25519" => Ok(Group::X25519),
        b"X25519MLKEM768" => Ok(Group::X25519MlKem768),
        _ => Err(DriverError(format!("negotiated group {}", name.to_string_lossy()))),
    }
}

/// What the server signed with; a client's signature is not told in these names.
fn signature(connection: *mut s2n::s2n_connection) -> Option<&'static str> {
    let mut name: *const c_char = ptr::null();
    // SAFETY: the caller's connection is alive; names are constants of the library.
    let name = unsafe {
        if s2n::s2n_connection_get_signature_scheme(connection, &mut name) < 0 {
            return None;
        }
        CStr::from_ptr(name)
    };
    Some(match name.to_bytes() {
        b"rsa_pkcs1_sha256" => "rsa_pkcs1_sha256",
        b"rsa_pkcs1_sha384" => "rsa_pkcs1_sha384",
        b"rsa_pkcs1_sha512" => "rsa_pkcs1_sha512",
        b"rsa_pss_rsae_sha256" => "rsa_pss_rsae_sha256",
        b"rsa_pss_rsae_sha384" => "rsa_pss_rsae_sha384",
        b"rsa_pss_rsae_sha512" => "rsa_pss_rsae_sha512",
        b"ecdsa_sha256" | b"ecdsa_secp256r1_sha256" => "ecdsa_secp256r1_sha256",
        b"ecdsa_sha384" | b"ecdsa_secp384r1_sha384" => "ecdsa_secp384r1_sha384",
        _ => return None,
    })
}

/// A chain that the library fills in.
struct Chain(*mut s2n::s2n_cert_chain_and_key);

impl Drop for Chain {
    fn drop(&mut self) {
        // SAFETY: we own it.
        unsafe { s2n::s2n_cert_chain_and_key_free(self.0) };
    }
}

/// The key of the peer's certificate. s2n-tls gives copies of certificates only; they are gone at the end.
fn peer_key(connection: *mut s2n::s2n_connection) -> Result<Option<CertificateKey>, DriverError> {
    // SAFETY: the caller's connection is alive; the chain is ours and outlives what is read of it.
    unsafe {
        let chain = Chain(s2n::s2n_cert_chain_and_key_new());
        if chain.0.is_null() {
            return Err(failure("s2n_cert_chain_and_key_new"));
        }
        if s2n::s2n_connection_get_peer_cert_chain(connection, chain.0) < 0 {
            return Ok(None);
        }
        let mut leaf = ptr::null_mut();
        if s2n::s2n_cert_chain_get_cert(chain.0, &mut leaf, 0) < 0 {
            return Ok(None);
        }
        let (mut der, mut length) = (ptr::null(), 0);
        check("s2n_cert_get_der", s2n::s2n_cert_get_der(leaf, &mut der, &mut length))?;
        key_in(slice::from_raw_parts(der, length as usize)).map(Some)
    }
}

fn key_in(certificate: &[u8]) -> Result<CertificateKey, DriverError> {
    let unnamed =
        || DriverError("the protocol has no name for the type of the peer's key".to_owned());
    let leaf = pki_types::CertificateDer::from(certificate);
    let leaf = webpki::EndEntityCert::try_from(&leaf).map_err(|_| unnamed())?;
    iana::key(&leaf.subject_public_key_info()).ok_or_else(unnamed)
}
