//! Primitives through EVP, prefetched, as a program that cares about speed calls them.

mod aead;
mod agreement;
mod cipher;
mod fetch;
mod hash;
mod hkdf;
mod kem;
mod key;
#[cfg(offered = "EVP_AEAD_CTX_seal_scatter")]
mod scatter;
mod signature;

use crate::{
    ffi as ssl, interface,
    owned::{self, Owned},
    random,
};
use shakedown_driver::{
    DriverError,
    primitive::{PrimitiveConfig, PrimitiveOperation},
};
use shakedown_protocol::{DriverRefusal, HashFunction, Primitive};

type Prepared = Result<Box<dyn PrimitiveOperation>, DriverRefusal>;

/// Prepares a primitive.
///
/// # Errors
/// What this library can't do, or what it refuses.
pub fn prepare(config: &PrimitiveConfig) -> Prepared {
    interface::initialize()?;
    if let Some(seed) = config.seed {
        random::fix(seed)?;
    }
    match config.primitive {
        Primitive::Aead { cipher, work, size, tag } => aead::prepare(cipher, work, size, tag),
        Primitive::Hash { function, size } => hash::prepare(function, size),
        Primitive::Hkdf { function } => hkdf::prepare(function),
        Primitive::Signature { key, work } => signature::prepare(key, work, &config.pki(key)),
        Primitive::Agreement { group, work } => agreement::prepare(group, work),
        Primitive::Kem { work, .. } => kem::prepare(work),
        Primitive::Fetch(algorithm) => fetch::prepare(algorithm),
    }
}

/// A refusal of what the library lacks.
fn lacks<T>(what: &str) -> Result<T, DriverRefusal> {
    Err(DriverRefusal::Unsupported(format!("this library has no {what}")))
}

/// A hash function, fetched once where it can be.
fn function(function: HashFunction) -> Result<*const ssl::EVP_MD, DriverError> {
    #[cfg(offered = "EVP_CIPHER_fetch")]
    {
        let name = fetch::hash_name(function);
        // SAFETY: names are C strings. It lives as long as the process.
        let found =
            unsafe { ssl::EVP_MD_fetch(std::ptr::null_mut(), name.as_ptr(), std::ptr::null()) };
        owned::some("EVP_MD_fetch", found).map(<*mut _>::cast_const)
    }
    #[cfg(not(offered = "EVP_CIPHER_fetch"))]
    // SAFETY: they are constants of the library.
    Ok(unsafe {
        match function {
            HashFunction::Sha256 => ssl::EVP_sha256(),
            HashFunction::Sha384 => ssl::EVP_sha384(),
            HashFunction::Sha512 => ssl::EVP_sha512(),
        }
    })
}
