//! The group and the signature of a connection, as OpenSSL tells them: by NIDs.

use crate::{facts, ffi as ssl};
use shakedown_driver::{DriverError, iana};
use shakedown_protocol::Group;
use std::{
    ffi::{c_int, c_long},
    ptr,
};

/// The group of the key exchange.
///
/// # Errors
/// For a group that has no name in the protocol.
pub fn group(connection: *mut ssl::SSL) -> Result<Option<Group>, DriverError> {
    if let Some(nid) = negotiated_nid(connection) {
        return named(nid).map(Some);
    }
    ephemeral_key(connection)?.map(c_long::from).map(named).transpose()
}

/// The NID of the group of the peer's ephemeral key, which 1.1.1 tells instead: from 1.1.1a on to
/// either side, before that to the client only.
#[cfg(any(offered = "SSL_CTRL_GET_PEER_TMP_KEY", offered = "SSL_CTRL_GET_SERVER_TMP_KEY"))]
fn ephemeral_key(connection: *mut ssl::SSL) -> Result<Option<c_int>, DriverError> {
    #[cfg(offered = "SSL_CTRL_GET_PEER_TMP_KEY")]
    use ssl::SSL_CTRL_GET_PEER_TMP_KEY as COMMAND;
    #[cfg(not(offered = "SSL_CTRL_GET_PEER_TMP_KEY"))]
    use ssl::SSL_CTRL_GET_SERVER_TMP_KEY as COMMAND;
    let mut key: *mut ssl::EVP_PKEY = ptr::null_mut();
    // SAFETY: the library writes a key that is ours to free.
    unsafe {
        let place = (&raw mut key).cast();
        if ssl::SSL_ctrl(connection, COMMAND, 0, place) != 1 {
            return Ok(None);
        }
        let nid = match facts::kind_and_bits(key) {
            (ssl::NID_X9_62_id_ecPublicKey, 256) => ssl::NID_X9_62_prime256v1,
            (ssl::NID_X9_62_id_ecPublicKey, 384) => ssl::NID_secp384r1,
            (other, _) => other,
        };
        ssl::EVP_PKEY_free(key);
        Ok(Some(nid))
    }
}

/// Later versions have another way, or none.
#[cfg(not(any(offered = "SSL_CTRL_GET_PEER_TMP_KEY", offered = "SSL_CTRL_GET_SERVER_TMP_KEY")))]
fn ephemeral_key(_: *mut ssl::SSL) -> Result<Option<c_int>, DriverError> {
    Ok(None)
}

/// The group as releases before 3.0 do not tell it.
#[cfg(not(offered = "SSL_CTRL_GET_NEGOTIATED_GROUP"))]
fn negotiated_nid(_: *mut ssl::SSL) -> Option<c_long> {
    None
}

/// The group as releases since 3.0 tell it.
#[cfg(offered = "SSL_CTRL_GET_NEGOTIATED_GROUP")]
fn negotiated_nid(connection: *mut ssl::SSL) -> Option<c_long> {
    // SAFETY: the connection is alive; the command takes no argument.
    let nid = unsafe {
        ssl::SSL_ctrl(connection, ssl::SSL_CTRL_GET_NEGOTIATED_GROUP, 0, ptr::null_mut())
    };
    (nid > 0).then_some(nid)
}

fn named(nid: c_long) -> Result<Group, DriverError> {
    const X25519: c_long = ssl::NID_X25519 as c_long;
    const P256: c_long = ssl::NID_X9_62_prime256v1 as c_long;
    const P384: c_long = ssl::NID_secp384r1 as c_long;
    Ok(match nid {
        X25519 => Group::X25519,
        P256 => Group::Secp256r1,
        P384 => Group::Secp384r1,
        // A group without a NID comes as its number in the registry.
        #[cfg(offered = "TLSEXT_nid_unknown")]
        other if other & ssl::TLSEXT_nid_unknown != 0 => {
            let number = (other ^ ssl::TLSEXT_nid_unknown) as u16;
            let unknown = || DriverError(format!("negotiated group {number:#06x}"));
            iana::group(number).ok_or_else(unknown)?
        }
        other => return Err(DriverError(format!("negotiated group with NID {other:#x}"))),
    })
}

/// IANA name of the scheme of the peer's signature, where there was one.
pub fn signature(connection: *mut ssl::SSL) -> Option<&'static str> {
    let (mut digest, mut kind): (c_int, c_int) = (0, 0);
    // SAFETY: the library writes two numbers.
    unsafe {
        let place = (&raw mut digest).cast();
        ssl::SSL_ctrl(connection, ssl::SSL_CTRL_GET_PEER_SIGNATURE_NID, 0, place);
        ssl::SSL_get_peer_signature_type_nid(connection, &raw mut kind);
    }
    Some(match (kind, digest) {
        (ssl::NID_rsaEncryption, ssl::NID_sha256) => "rsa_pkcs1_sha256",
        (ssl::NID_rsaEncryption, ssl::NID_sha384) => "rsa_pkcs1_sha384",
        (ssl::NID_rsaEncryption, ssl::NID_sha512) => "rsa_pkcs1_sha512",
        (ssl::NID_rsassaPss, ssl::NID_sha256) => "rsa_pss_rsae_sha256",
        (ssl::NID_rsassaPss, ssl::NID_sha384) => "rsa_pss_rsae_sha384",
        (ssl::NID_rsassaPss, ssl::NID_sha512) => "rsa_pss_rsae_sha512",
        (ssl::NID_X9_62_id_ecPublicKey, ssl::NID_sha256) => "ecdsa_secp256r1_sha256",
        (ssl::NID_X9_62_id_ecPublicKey, ssl::NID_sha384) => "ecdsa_secp384r1_sha384",
        (ssl::NID_ED25519, _) => "ed25519",
        _ => return None,
    })
}
