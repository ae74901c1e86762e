//! Looking algorithms up by name.

use super::Prepared;
use shakedown_protocol::Algorithm;

/// The name of a cipher.
#[cfg(offered = "EVP_CIPHER_fetch")]
pub const fn cipher_name(cipher: shakedown_protocol::CipherSuite) -> &'static std::ffi::CStr {
    use shakedown_protocol::CipherSuite;
    match cipher {
        CipherSuite::Aes128Gcm => c"AES-128-GCM",
        CipherSuite::Aes256Gcm => c"AES-256-GCM",
        CipherSuite::Chacha20 => c"ChaCha20-Poly1305",
    }
}

/// The name of a hash function.
#[cfg(offered = "EVP_CIPHER_fetch")]
pub const fn hash_name(function: shakedown_protocol::HashFunction) -> &'static std::ffi::CStr {
    use shakedown_protocol::HashFunction;
    match function {
        HashFunction::Sha256 => c"SHA2-256",
        HashFunction::Sha384 => c"SHA2-384",
        HashFunction::Sha512 => c"SHA2-512",
    }
}

/// Prepares looking up.
#[cfg(offered = "EVP_CIPHER_fetch")]
pub fn prepare(algorithm: Algorithm) -> Prepared {
    Ok(match algorithm {
        Algorithm::Cipher(cipher) => Box::new(fetching::Cipher(cipher_name(cipher))),
        Algorithm::Hash(function) => Box::new(fetching::Hash(hash_name(function))),
    })
}

/// Algorithms are constants before OpenSSL 3.0, and in BoringSSL and AWS-LC.
#[cfg(not(offered = "EVP_CIPHER_fetch"))]
pub fn prepare(_: Algorithm) -> Prepared {
    super::lacks("providers from which algorithms are fetched")
}

#[cfg(offered = "EVP_CIPHER_fetch")]
mod fetching {
    use crate::{ffi as ssl, owned::some};
    use shakedown_driver::{
        DriverError,
        primitive::{PrimitiveOperation, Proof},
    };
    use std::{ffi::CStr, ptr};

    /// What is fetched, let go and named by these functions.
    macro_rules! fetching {
        ($type:ident, $fetch:ident, $free:ident, $name:ident) => {
            pub struct $type(pub &'static CStr);

            impl PrimitiveOperation for $type {
                fn run(&mut self, operations: u64) -> Result<(), DriverError> {
                    for _ in 0..operations {
                        // SAFETY: the name is a C string; what is fetched is ours.
                        unsafe {
                            let found = ssl::$fetch(ptr::null_mut(), self.0.as_ptr(), ptr::null());
                            ssl::$free(some(stringify!($fetch), found)?);
                        }
                    }
                    Ok(())
                }

                fn prove(&mut self) -> Result<Proof, DriverError> {
                    // SAFETY: as above; the name lives as long as what it is of.
                    let name = unsafe {
                        let found = ssl::$fetch(ptr::null_mut(), self.0.as_ptr(), ptr::null());
                        let found = some(stringify!($fetch), found)?;
                        let name = CStr::from_ptr(ssl::$name(found)).to_bytes().to_vec();
                        ssl::$free(found);
                        name
                    };
                    Ok(Proof { output: Some(name), ..Proof::default() })
                }
            }
        };
    }

    fetching!(Cipher, EVP_CIPHER_fetch, EVP_CIPHER_free, EVP_CIPHER_get0_name);
    fetching!(Hash, EVP_MD_fetch, EVP_MD_free, EVP_MD_get0_name);
}
