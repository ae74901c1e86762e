//! What a connection negotiated, in the protocol's names.

use crate::ffi;
use openssl_sys as ssl;
use shakedown_driver::{ConnectionInfo, DriverError, iana};
use shakedown_protocol::{CipherSuite, Group, Key, TlsVersion};
use std::{
    ffi::{c_int, c_long},
    ptr,
};

/// Asks the library about a connection whose handshake is over.
///
/// # Errors
/// For a value that has no name in the protocol.
pub fn of(connection: *mut ssl::SSL) -> Result<ConnectionInfo, DriverError> {
    // SAFETY: the caller's connection is alive.
    let (version, resumed) =
        unsafe { (ssl::SSL_version(connection), ssl::SSL_session_reused(connection) == 1) };
    let version = match version {
        ssl::TLS1_2_VERSION => TlsVersion::Tls12,
        ssl::TLS1_3_VERSION => TlsVersion::Tls13,
        other => return Err(DriverError(format!("negotiated version {other:#x}"))),
    };
    let (suite, suite_name) = suite(connection)?;
    // A TLS 1.2 resumption exchanges no keys; newer releases tell the session's group.
    let exchanged = !(resumed && version == TlsVersion::Tls12);
    Ok(ConnectionInfo {
        version,
        suite,
        suite_name,
        group: if exchanged { group(connection)? } else { None },
        peer_key: peer_key(connection)?,
        peer_signature: signature(connection),
        resumed,
    })
}

/// Numbers of the TLS registry.
fn suite(connection: *mut ssl::SSL) -> Result<(CipherSuite, &'static str), DriverError> {
    // SAFETY: the connection is alive and has a cipher after the handshake.
    let number =
        unsafe { ssl::SSL_CIPHER_get_protocol_id(ssl::SSL_get_current_cipher(connection)) };
    iana::suite(number).ok_or_else(|| DriverError(format!("negotiated suite {number:#06x}")))
}

fn group(connection: *mut ssl::SSL) -> Result<Option<Group>, DriverError> {
    if let Some(nid) = negotiated_nid(connection) {
        return named(nid).map(Some);
    }
    // 1.1.1 tells the peer's ephemeral key instead.
    let mut key: *mut ssl::EVP_PKEY = ptr::null_mut();
    // SAFETY: the library writes a key that is ours to free.
    unsafe {
        let place = (&raw mut key).cast();
        if ssl::SSL_ctrl(connection, ffi::SSL_CTRL_GET_PEER_TMP_KEY, 0, place) != 1 {
            return Ok(None);
        }
        let nid = match (ssl::EVP_PKEY_id(key), ssl::EVP_PKEY_bits(key)) {
            (ffi::NID_EC, 256) => ffi::NID_P256,
            (ffi::NID_EC, 384) => ffi::NID_P384,
            (other, _) => other,
        };
        ssl::EVP_PKEY_free(key);
        named(c_long::from(nid)).map(Some)
    }
}

/// The group as releases since 3.0 tell it.
fn negotiated_nid(connection: *mut ssl::SSL) -> Option<c_long> {
    if !cfg!(openssl3) {
        return None;
    }
    // SAFETY: the connection is alive; the command takes no argument.
    let nid = unsafe {
        ssl::SSL_ctrl(connection, ffi::SSL_CTRL_GET_NEGOTIATED_GROUP, 0, ptr::null_mut())
    };
    (nid > 0).then_some(nid)
}

fn named(nid: c_long) -> Result<Group, DriverError> {
    const X25519: c_long = ffi::NID_X25519 as c_long;
    const P256: c_long = ffi::NID_P256 as c_long;
    const P384: c_long = ffi::NID_P384 as c_long;
    Ok(match nid {
        X25519 => Group::X25519,
        P256 => Group::Secp256r1,
        P384 => Group::Secp384r1,
        // A group without a NID comes as its number in the registry.
        other if other & ffi::TLSEXT_NID_UNKNOWN != 0 => {
            let number = (other ^ ffi::TLSEXT_NID_UNKNOWN) as u16;
            let unknown = || DriverError(format!("negotiated group {number:#06x}"));
            iana::group(number).ok_or_else(unknown)?
        }
        other => return Err(DriverError(format!("negotiated group with NID {other:#x}"))),
    })
}

fn peer_key(connection: *mut ssl::SSL) -> Result<Option<Key>, DriverError> {
    #[cfg(not(openssl3))]
    use ssl::SSL_get_peer_certificate as peer_certificate;
    #[cfg(openssl3)]
    use ssl::SSL_get1_peer_certificate as peer_certificate;
    // SAFETY: the certificate and its key are references that are ours to free.
    let (kind, bits) = unsafe {
        let certificate = peer_certificate(connection);
        if certificate.is_null() {
            return Ok(None);
        }
        let key = ssl::X509_get_pubkey(certificate);
        let found = (ssl::EVP_PKEY_id(key), ssl::EVP_PKEY_bits(key));
        ssl::EVP_PKEY_free(key);
        ssl::X509_free(certificate);
        found
    };
    Ok(Some(match (kind, bits) {
        (ffi::NID_RSA, 2048) => Key::Rsa2048,
        (ffi::NID_EC, 256) => Key::EcdsaP256,
        (ffi::NID_EC, 384) => Key::EcdsaP384,
        (ffi::NID_ED25519, _) => Key::Ed25519,
        other => return Err(DriverError(format!("the peer's key has type and bits {other:?}"))),
    }))
}

/// IANA name of the scheme of the peer's signature, where there was one.
fn signature(connection: *mut ssl::SSL) -> Option<&'static str> {
    let (mut digest, mut kind): (c_int, c_int) = (0, 0);
    // SAFETY: the library writes two numbers.
    unsafe {
        let place = (&raw mut digest).cast();
        ssl::SSL_ctrl(connection, ffi::SSL_CTRL_GET_PEER_SIGNATURE_NID, 0, place);
        ffi::SSL_get_peer_signature_type_nid(connection, &raw mut kind);
    }
    Some(match (kind, digest) {
        (ffi::NID_RSA, ffi::NID_SHA256) => "rsa_pkcs1_sha256",
        (ffi::NID_RSA, ffi::NID_SHA384) => "rsa_pkcs1_sha384",
        (ffi::NID_RSA, ffi::NID_SHA512) => "rsa_pkcs1_sha512",
        (ffi::NID_RSA_PSS, ffi::NID_SHA256) => "rsa_pss_rsae_sha256",
        (ffi::NID_RSA_PSS, ffi::NID_SHA384) => "rsa_pss_rsae_sha384",
        (ffi::NID_RSA_PSS, ffi::NID_SHA512) => "rsa_pss_rsae_sha512",
        (ffi::NID_EC, ffi::NID_SHA256) => "ecdsa_secp256r1_sha256",
        (ffi::NID_EC, ffi::NID_SHA384) => "ecdsa_secp384r1_sha384",
        (ffi::NID_ED25519, _) => "ed25519",
        _ => return None,
    })
}
