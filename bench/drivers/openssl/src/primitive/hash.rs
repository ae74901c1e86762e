//! Hash functions.

use super::{Owned, Prepared, function};
use crate::{error::check, ffi as ssl};
use shakedown_driver::{
    DriverError,
    primitive::{PrimitiveOperation, Proof, message},
};
use shakedown_protocol::{HashFunction, Size};
use std::ptr;

/// Prepares a hash function.
pub fn prepare(which: HashFunction, size: Size) -> Prepared {
    Ok(Box::new(Hash::new(which, message(size.0 as usize))?))
}

/// The digest of some data.
///
/// # Errors
/// What the library says.
pub fn digest(which: HashFunction, data: &[u8]) -> Result<Vec<u8>, DriverError> {
    let mut hash = Hash::new(which, data.to_vec())?;
    hash.run(1)?;
    Ok(hash.digest().to_vec())
}

struct Hash {
    context: Owned<ssl::EVP_MD_CTX>,
    function: *const ssl::EVP_MD,
    data: Vec<u8>,
    /// Room for the longest digest.
    digest: [u8; 64],
    length: u32,
}

impl Hash {
    fn new(which: HashFunction, data: Vec<u8>) -> Result<Self, DriverError> {
        // SAFETY: the context is ours.
        let context =
            unsafe { Owned::new("EVP_MD_CTX_new", ssl::EVP_MD_CTX_new(), ssl::EVP_MD_CTX_free)? };
        Ok(Self { context, function: function(which)?, data, digest: [0; 64], length: 0 })
    }

    fn digest(&self) -> &[u8] {
        &self.digest[..self.length as usize]
    }
}

impl PrimitiveOperation for Hash {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        let context = self.context.as_ptr();
        for _ in 0..operations {
            // SAFETY: the context is ours, and the digest has room.
            unsafe {
                let begun = ssl::EVP_DigestInit_ex(context, self.function, ptr::null_mut());
                check("EVP_DigestInit_ex", begun)?;
                let data = self.data.as_ptr().cast();
                let taken = ssl::EVP_DigestUpdate(context, data, self.data.len());
                check("EVP_DigestUpdate", taken)?;
                let into = self.digest.as_mut_ptr();
                let ended = ssl::EVP_DigestFinal_ex(context, into, &raw mut self.length);
                check("EVP_DigestFinal_ex", ended)?;
            }
        }
        Ok(())
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        self.run(1)?;
        Ok(Proof { output: Some(self.digest().to_vec()), ..Proof::default() })
    }
}
