//! An AEAD as a cipher of EVP.

use super::{Owned, lacks};
use crate::{
    error::{check, failure},
    ffi as ssl,
};
use shakedown_driver::{
    DriverError,
    primitive::{ADDITIONAL_DATA, Aead, KEY, NONCE, TAG},
};
use shakedown_protocol::{AeadWork, CipherSuite, DriverRefusal};
use std::{ffi::c_int, ptr};

/// A context with a key, for one direction.
pub struct Cipher(Owned<ssl::EVP_CIPHER_CTX>);

impl Cipher {
    /// Sets the key up.
    ///
    /// # Errors
    /// If the library has no such cipher, or what it says.
    pub fn new(cipher: CipherSuite, work: AeadWork) -> Result<Self, DriverRefusal> {
        let algorithm = algorithm(cipher)?;
        let encrypts = c_int::from(work == AeadWork::Seal);
        // SAFETY: the context is ours, and the key as long as any cipher's.
        unsafe {
            let context = ssl::EVP_CIPHER_CTX_new();
            let context = Owned::new("EVP_CIPHER_CTX_new", context, ssl::EVP_CIPHER_CTX_free)?;
            let (none, key) = (ptr::null_mut(), KEY.as_ptr());
            let set = ssl::EVP_CipherInit_ex(
                context.as_ptr(),
                algorithm,
                none,
                key,
                NONCE.as_ptr(),
                encrypts,
            );
            check("EVP_CipherInit_ex", set)?;
            Ok(Self(context))
        }
    }

    /// Begins a message.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn begin(&mut self) -> Result<(), DriverError> {
        let (none, nonce) = (ptr::null_mut(), NONCE.as_ptr());
        // SAFETY: the context has cipher, key and direction already.
        check("EVP_CipherInit_ex", unsafe {
            ssl::EVP_CipherInit_ex(self.0.as_ptr(), ptr::null(), none, ptr::null(), nonce, -1)
        })
    }

    /// Encrypts or decrypts in place.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn update(&mut self, data: &mut [u8]) -> Result<(), DriverError> {
        let (mut length, place) = (0, data.as_mut_ptr());
        // SAFETY: a stream cipher writes as many bytes as it reads.
        check("EVP_CipherUpdate", unsafe {
            ssl::EVP_CipherUpdate(
                self.0.as_ptr(),
                place,
                &raw mut length,
                place,
                data.len() as c_int,
            )
        })
    }

    /// Everything of a message but its tag.
    #[inline]
    fn message(&mut self, data: &mut [u8]) -> Result<(), DriverError> {
        let mut length = 0;
        // SAFETY: without a place to write to, the data are additional.
        let set = unsafe {
            ssl::EVP_CipherUpdate(
                self.0.as_ptr(),
                ptr::null_mut(),
                &raw mut length,
                ADDITIONAL_DATA.as_ptr(),
                ADDITIONAL_DATA.len() as c_int,
            )
        };
        check("EVP_CipherUpdate", set)?;
        self.update(data)
    }

    /// The tag, read or set by `command`.
    #[inline]
    fn tag(&mut self, command: c_int, tag: *mut u8) -> Result<(), DriverError> {
        // SAFETY: the caller's tag has 16 bytes.
        check("EVP_CIPHER_CTX_ctrl", unsafe {
            ssl::EVP_CIPHER_CTX_ctrl(self.0.as_ptr(), command, 16, tag.cast())
        })
    }

    /// Ends a message; fails if the tag is not right.
    #[inline]
    fn end(&mut self) -> Result<(), DriverError> {
        let (mut nothing, mut length) = ([0; 16], 0);
        // SAFETY: there is room for a block.
        let ended = unsafe {
            ssl::EVP_CipherFinal_ex(self.0.as_ptr(), nothing.as_mut_ptr(), &raw mut length)
        };
        if ended == 1 { Ok(()) } else { Err(failure("EVP_CipherFinal_ex")) }
    }
}

/// A context for each direction.
#[cfg_attr(offered = "EVP_AEAD_CTX_seal_scatter", allow(dead_code, reason = "there is better"))]
pub struct Both {
    seal: Cipher,
    open: Cipher,
}

#[cfg_attr(offered = "EVP_AEAD_CTX_seal_scatter", allow(dead_code, reason = "there is better"))]
impl Both {
    /// Sets the key up.
    ///
    /// # Errors
    /// If the library has no such cipher, or what it says.
    pub fn new(cipher: CipherSuite) -> Result<Self, DriverRefusal> {
        let direction = |work| Cipher::new(cipher, work);
        Ok(Self { seal: direction(AeadWork::Seal)?, open: direction(AeadWork::Open)? })
    }
}

impl Aead for Both {
    #[inline]
    fn seal(&mut self, data: &mut [u8], tag: &mut [u8; TAG]) -> Result<(), DriverError> {
        let Self { seal, .. } = self;
        seal.begin()?;
        seal.message(data)?;
        seal.end()?;
        seal.tag(ssl::EVP_CTRL_AEAD_GET_TAG, tag.as_mut_ptr())
    }

    #[inline]
    fn open(&mut self, data: &mut [u8], tag: &[u8; TAG]) -> Result<(), DriverError> {
        let Self { open, .. } = self;
        open.begin()?;
        // The library does not write to a tag that it is given.
        open.tag(ssl::EVP_CTRL_AEAD_SET_TAG, tag.as_ptr().cast_mut())?;
        open.message(data)?;
        open.end()
    }
}

/// The library's algorithm, fetched once where it can be.
#[cfg(offered = "EVP_CIPHER_fetch")]
fn algorithm(cipher: CipherSuite) -> Result<*const ssl::EVP_CIPHER, DriverRefusal> {
    let name = super::fetch::cipher_name(cipher);
    // SAFETY: names are C strings. It lives as long as the process.
    let found = unsafe { ssl::EVP_CIPHER_fetch(ptr::null_mut(), name.as_ptr(), ptr::null()) };
    if found.is_null() { lacks(&format!("{cipher}")) } else { Ok(found) }
}

/// The library's algorithm.
#[cfg(not(offered = "EVP_CIPHER_fetch"))]
fn algorithm(cipher: CipherSuite) -> Result<*const ssl::EVP_CIPHER, DriverRefusal> {
    // SAFETY: they are constants of the library.
    let found = unsafe {
        match cipher {
            CipherSuite::Aes128Gcm => ssl::EVP_aes_128_gcm(),
            CipherSuite::Aes256Gcm => ssl::EVP_aes_256_gcm(),
            #[cfg(offered = "EVP_chacha20_poly1305")]
            CipherSuite::Chacha20 => ssl::EVP_chacha20_poly1305(),
            #[cfg(not(offered = "EVP_chacha20_poly1305"))]
            CipherSuite::Chacha20 => ptr::null(),
        }
    };
    if found.is_null() { lacks(&format!("{cipher} among the ciphers of EVP")) } else { Ok(found) }
}
