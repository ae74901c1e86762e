//! An AEAD as BoringSSL and AWS-LC want it used: one call for a message.

use super::Owned;
use crate::{error::check, ffi as ssl};
use shakedown_driver::{
    DriverError,
    primitive::{ADDITIONAL_DATA, Aead, KEY, NONCE, TAG, key_length},
};
use shakedown_protocol::{CipherSuite, DriverRefusal};
use std::ptr;

/// A context with a key, for both directions.
pub struct Scatter(Owned<ssl::EVP_AEAD_CTX>);

impl Scatter {
    /// Sets the key up.
    ///
    /// # Errors
    /// What the library says.
    pub fn new(cipher: CipherSuite) -> Result<Self, DriverRefusal> {
        // SAFETY: algorithms are constants of the library, and the key is long enough.
        unsafe {
            let algorithm = match cipher {
                CipherSuite::Aes128Gcm => ssl::EVP_aead_aes_128_gcm(),
                CipherSuite::Aes256Gcm => ssl::EVP_aead_aes_256_gcm(),
                CipherSuite::Chacha20 => ssl::EVP_aead_chacha20_poly1305(),
            };
            let context = ssl::EVP_AEAD_CTX_new(algorithm, KEY.as_ptr(), key_length(cipher), TAG);
            Ok(Self(Owned::new("EVP_AEAD_CTX_new", context, ssl::EVP_AEAD_CTX_free)?))
        }
    }
}

impl Aead for Scatter {
    #[inline]
    fn seal(&mut self, data: &mut [u8], tag: &mut [u8; TAG]) -> Result<(), DriverError> {
        let (place, mut length) = (data.as_mut_ptr(), 0);
        // SAFETY: everything is as long as it is said to be.
        check("EVP_AEAD_CTX_seal_scatter", unsafe {
            ssl::EVP_AEAD_CTX_seal_scatter(
                self.0.as_ptr(),
                place,
                tag.as_mut_ptr(),
                &raw mut length,
                tag.len(),
                NONCE.as_ptr(),
                NONCE.len(),
                place,
                data.len(),
                ptr::null(),
                0,
                ADDITIONAL_DATA.as_ptr(),
                ADDITIONAL_DATA.len(),
            )
        })
    }

    #[inline]
    fn open(&mut self, data: &mut [u8], tag: &[u8; TAG]) -> Result<(), DriverError> {
        let place = data.as_mut_ptr();
        // SAFETY: everything is as long as it is said to be.
        check("EVP_AEAD_CTX_open_gather", unsafe {
            ssl::EVP_AEAD_CTX_open_gather(
                self.0.as_ptr(),
                place,
                NONCE.as_ptr(),
                NONCE.len(),
                place,
                data.len(),
                tag.as_ptr(),
                tag.len(),
                ADDITIONAL_DATA.as_ptr(),
                ADDITIONAL_DATA.len(),
            )
        })
    }
}
