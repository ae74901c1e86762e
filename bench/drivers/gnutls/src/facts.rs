//! What a connection negotiated, in the protocol's names.

use crate::{ffi, session::Role};
use shakedown_driver::{ConnectionInfo, DriverError, iana};
use shakedown_protocol::{CertificateKey, CipherSuite, Group, TlsVersion};
use std::{ffi::CStr, slice};

/// Asks the library about a connection whose handshake is over.
///
/// # Errors
/// For a value that has no name in the protocol.
pub fn of(session: ffi::gnutls_session_t, role: Role) -> Result<ConnectionInfo, DriverError> {
    // SAFETY: the caller's session is alive.
    let (version, resumed) = unsafe {
        (ffi::gnutls_protocol_get_version(session), ffi::gnutls_session_is_resumed(session) != 0)
    };
    let version = match version {
        ffi::GNUTLS_TLS1_2 => TlsVersion::Tls12,
        ffi::GNUTLS_TLS1_3 => TlsVersion::Tls13,
        other => return Err(unknown("version", other)),
    };
    let (cipher_suite, cipher_suite_name) = cipher_suite(session, version)?;
    // A TLS 1.2 resumption exchanges no keys.
    let exchanged = !(resumed && version == TlsVersion::Tls12);
    Ok(ConnectionInfo {
        version,
        cipher_suite,
        cipher_suite_name,
        group: if exchanged { Some(group(session)?) } else { None },
        peer_key: peer_key(session)?,
        peer_signature: if resumed { None } else { signature(session, role) },
        peer_certificates: None,
        ocsp_response: None,
        early_data: false,
        resumed: Some(resumed),
    })
}

fn unknown(what: &str, value: u32) -> DriverError {
    DriverError(format!("negotiated {what} {value}, which the protocol has no name for"))
}

fn cipher_suite(
    session: ffi::gnutls_session_t,
    version: TlsVersion,
) -> Result<(CipherSuite, &'static str), DriverError> {
    // SAFETY: the caller's session is alive.
    let (cipher, exchange) =
        unsafe { (ffi::gnutls_cipher_get(session), ffi::gnutls_kx_get(session)) };
    // Numbers of the TLS registry: TLS 1.3, ECDSA, RSA.
    let numbers = match cipher {
        ffi::GNUTLS_CIPHER_AES_128_GCM => [0x1301, 0xc02b, 0xc02f],
        ffi::GNUTLS_CIPHER_AES_256_GCM => [0x1302, 0xc02c, 0xc030],
        ffi::GNUTLS_CIPHER_CHACHA20_POLY1305 => [0x1303, 0xcca9, 0xcca8],
        other => return Err(unknown("cipher", other)),
    };
    let place = match (version, exchange) {
        (TlsVersion::Tls13, _) => 0,
        (_, ffi::GNUTLS_KX_ECDHE_ECDSA) => 1,
        (_, ffi::GNUTLS_KX_ECDHE_RSA) => 2,
        (_, other) => return Err(unknown("key exchange", other)),
    };
    iana::cipher_suite(numbers[place]).ok_or_else(|| unknown("cipher", cipher))
}

fn group(session: ffi::gnutls_session_t) -> Result<Group, DriverError> {
    // SAFETY: the caller's session is alive; the name is a constant of the library.
    let name = unsafe {
        let group = ffi::gnutls_group_get(session);
        let name = ffi::gnutls_group_get_name(group);
        if name.is_null() {
            return Err(unknown("group", group));
        }
        CStr::from_ptr(name)
    };
    match name.to_bytes() {
        b"SECP256R1" => Ok(Group::Secp256r1),
        b"SECP384R1" => Ok(Group::Secp384r1),
        b"X25519" => Ok(Group::X25519),
        b"X25519-MLKEM768" => Ok(Group::X25519MlKem768),
        b"SECP256R1-MLKEM768" => Ok(Group::Secp256r1MlKem768),
        _ => Err(DriverError(format!("negotiated group {}", name.to_string_lossy()))),
    }
}

/// What the peer signed with.
fn signature(session: ffi::gnutls_session_t, role: Role) -> Option<&'static str> {
    // SAFETY: the caller's session is alive.
    let algorithm = unsafe {
        match role {
            Role::Client => ffi::gnutls_sign_algorithm_get(session),
            Role::Server => ffi::gnutls_sign_algorithm_get_client(session),
        }
    };
    let algorithm = u32::try_from(algorithm).ok()?;
    Some(match algorithm {
        ffi::GNUTLS_SIGN_RSA_SHA256 => "rsa_pkcs1_sha256",
        ffi::GNUTLS_SIGN_RSA_SHA384 => "rsa_pkcs1_sha384",
        ffi::GNUTLS_SIGN_RSA_SHA512 => "rsa_pkcs1_sha512",
        ffi::GNUTLS_SIGN_RSA_PSS_RSAE_SHA256 => "rsa_pss_rsae_sha256",
        ffi::GNUTLS_SIGN_RSA_PSS_RSAE_SHA384 => "rsa_pss_rsae_sha384",
        ffi::GNUTLS_SIGN_RSA_PSS_RSAE_SHA512 => "rsa_pss_rsae_sha512",
        ffi::GNUTLS_SIGN_ECDSA_SHA256 | ffi::GNUTLS_SIGN_ECDSA_SECP256R1_SHA256 => {
            "ecdsa_secp256r1_sha256"
        }
        ffi::GNUTLS_SIGN_ECDSA_SHA384 | ffi::GNUTLS_SIGN_ECDSA_SECP384R1_SHA384 => {
            "ecdsa_secp384r1_sha384"
        }
        ffi::GNUTLS_SIGN_EDDSA_ED25519 => "ed25519",
        _ => return None,
    })
}

fn peer_key(session: ffi::gnutls_session_t) -> Result<Option<CertificateKey>, DriverError> {
    let mut count = 0;
    // SAFETY: the caller's session is alive, and so is its list of certificates.
    let leaf = unsafe {
        let list = ffi::gnutls_certificate_get_peers(session, &mut count);
        if list.is_null() || count == 0 {
            return Ok(None);
        }
        slice::from_raw_parts((*list).data, (*list).size as usize)
    };
    let unnamed =
        || DriverError("the protocol has no name for the type of the peer's key".to_owned());
    let leaf = pki_types::CertificateDer::from(leaf);
    let leaf = webpki::EndEntityCert::try_from(&leaf).map_err(|_| unnamed())?;
    iana::key(&leaf.subject_public_key_info()).map(Some).ok_or_else(unnamed)
}
