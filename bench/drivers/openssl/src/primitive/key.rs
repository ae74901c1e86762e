//! Keys: read, and made.

use super::Owned;
use crate::{
    error::{check, failure},
    ffi as ssl,
    owned::some,
};
use shakedown_driver::{DriverError, Pki};
use shakedown_protocol::{CertificateKey, DriverRefusal, Group};
use std::{
    ffi::{CString, c_int},
    os::unix::ffi::OsStrExt,
    ptr,
};

/// A key.
pub type Key = Owned<ssl::EVP_PKEY>;
/// An operation with a key.
pub type Operation = Owned<ssl::EVP_PKEY_CTX>;

/// A private key, and the context that it was read into.
pub struct ReadKey {
    pub key: *mut ssl::EVP_PKEY,
    _context: Owned<ssl::SSL_CTX>,
}

/// Reads the server's private key as a server does.
pub fn read(pki: &Pki) -> Result<ReadKey, DriverError> {
    let path = CString::new(pki.server_key().as_os_str().as_bytes())?;
    // SAFETY: the context is ours and owns the key.
    unsafe {
        let context = ssl::SSL_CTX_new(ssl::TLS_server_method());
        let context = Owned::new("SSL_CTX_new", context, ssl::SSL_CTX_free)?;
        let (file, format) = (path.as_ptr(), ssl::SSL_FILETYPE_PEM);
        if ssl::SSL_CTX_use_PrivateKey_file(context.as_ptr(), file, format) != 1 {
            return Err(failure(&format!("the key {}", pki.server_key().display())));
        }
        let key = ssl::SSL_CTX_get0_privatekey(context.as_ptr());
        Ok(ReadKey { key: some("SSL_CTX_get0_privatekey", key)?, _context: context })
    }
}

/// A new operation with a key.
pub fn operation(key: *mut ssl::EVP_PKEY) -> Result<Operation, DriverError> {
    // SAFETY: the caller's key is alive; the operation holds a reference.
    unsafe {
        let made = ssl::EVP_PKEY_CTX_new(key, ptr::null_mut());
        Owned::new("EVP_PKEY_CTX_new", made, ssl::EVP_PKEY_CTX_free)
    }
}

/// What makes keys of one kind.
pub struct Generator(Operation);

impl Generator {
    /// Signature keys of this type.
    pub fn of_type(key: CertificateKey) -> Result<Self, DriverRefusal> {
        match key {
            CertificateKey::Rsa2048 => Self::rsa(2048),
            CertificateKey::Rsa3072 => Self::rsa(3072),
            CertificateKey::Rsa4096 => Self::rsa(4096),
            CertificateKey::EcdsaP256 => Self::curve(ssl::NID_X9_62_prime256v1),
            CertificateKey::EcdsaP384 => Self::curve(ssl::NID_secp384r1),
            CertificateKey::Ed25519 => Ok(Self::new(ssl::NID_ED25519)?),
        }
    }

    /// Keys on this curve.
    pub fn of_group(group: Group) -> Result<Self, DriverRefusal> {
        match group {
            Group::X25519 => Ok(Self::new(ssl::NID_X25519)?),
            Group::Secp256r1 => Self::curve(ssl::NID_X9_62_prime256v1),
            Group::Secp384r1 => Self::curve(ssl::NID_secp384r1),
            _ => super::lacks(&format!("agreement over {group}")),
        }
    }

    /// Keys that the operation makes, once it is ready.
    ///
    /// # Errors
    /// What the library says.
    pub fn ready(operation: Operation) -> Result<Self, DriverError> {
        // SAFETY: the operation is ours.
        check("EVP_PKEY_keygen_init", unsafe { ssl::EVP_PKEY_keygen_init(operation.as_ptr()) })?;
        Ok(Self(operation))
    }

    fn new(kind: c_int) -> Result<Self, DriverError> {
        // SAFETY: the operation is ours.
        let made = unsafe {
            let made = ssl::EVP_PKEY_CTX_new_id(kind, ptr::null_mut());
            Owned::new("EVP_PKEY_CTX_new_id", made, ssl::EVP_PKEY_CTX_free)?
        };
        Self::ready(made)
    }

    fn rsa(bits: c_int) -> Result<Self, DriverRefusal> {
        let generator = Self::new(ssl::NID_rsaEncryption)?;
        // SAFETY: the operation is ours.
        let set = unsafe { set_bits(generator.0.as_ptr(), bits) };
        check("the bits of an RSA key", set)?;
        Ok(generator)
    }

    fn curve(nid: c_int) -> Result<Self, DriverRefusal> {
        let generator = Self::new(ssl::NID_X9_62_id_ecPublicKey)?;
        // SAFETY: the operation is ours.
        let set = unsafe { set_curve(generator.0.as_ptr(), nid) };
        check("the curve of a key", set)?;
        Ok(generator)
    }

    /// Makes a key.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn key(&mut self) -> Result<Key, DriverError> {
        let mut key = ptr::null_mut();
        // SAFETY: the operation is ours, and so is the key.
        unsafe {
            check("EVP_PKEY_keygen", ssl::EVP_PKEY_keygen(self.0.as_ptr(), &raw mut key))?;
            Owned::new("EVP_PKEY_keygen", key, ssl::EVP_PKEY_free)
        }
    }
}

#[cfg(offered = "EVP_PKEY_CTX_set_rsa_keygen_bits")]
use ssl::EVP_PKEY_CTX_set_rsa_keygen_bits as set_bits;

/// A macro before OpenSSL 3.0.
#[cfg(not(offered = "EVP_PKEY_CTX_set_rsa_keygen_bits"))]
unsafe fn set_bits(operation: *mut ssl::EVP_PKEY_CTX, bits: c_int) -> c_int {
    let Ok(bits) = CString::new(bits.to_string()) else { return 0 };
    // SAFETY: as the caller says; both are C strings.
    unsafe { ssl::EVP_PKEY_CTX_ctrl_str(operation, c"rsa_keygen_bits".as_ptr(), bits.as_ptr()) }
}

#[cfg(offered = "EVP_PKEY_CTX_set_ec_paramgen_curve_nid")]
use ssl::EVP_PKEY_CTX_set_ec_paramgen_curve_nid as set_curve;

/// A macro before OpenSSL 3.0.
#[cfg(not(offered = "EVP_PKEY_CTX_set_ec_paramgen_curve_nid"))]
unsafe fn set_curve(operation: *mut ssl::EVP_PKEY_CTX, nid: c_int) -> c_int {
    let name = if nid == ssl::NID_secp384r1 { c"P-384" } else { c"P-256" };
    // SAFETY: as the caller says; both are C strings.
    unsafe { ssl::EVP_PKEY_CTX_ctrl_str(operation, c"ec_paramgen_curve".as_ptr(), name.as_ptr()) }
}
