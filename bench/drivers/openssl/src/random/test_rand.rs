//! For versions, and builds with `no-deprecated`, that have lost `RAND_set_rand_method`: the
//! generator that OpenSSL tests itself with. It has one seed, and 3.1 is the first version that
//! lets it serve a thread.

use crate::{error::check, ffi};
use shakedown_driver::DriverError;
use std::{ffi::c_uint, ptr};

/// Bits that any algorithm may ask for.
const STRENGTH: c_uint = 256;

/// Takes the place of this thread's two generators. Trials that count have one thread.
///
/// # Errors
/// If the library does not let it.
pub fn fix(_: u64) -> Result<(), DriverError> {
    // SAFETY: the library takes both generators over, for the life of this thread.
    unsafe {
        check("RAND_set0_public", ffi::RAND_set0_public(ptr::null_mut(), generator()?))?;
        check("RAND_set0_private", ffi::RAND_set0_private(ptr::null_mut(), generator()?))
    }
}

/// A generator that draws the same numbers as any other that this makes.
fn generator() -> Result<*mut ffi::EVP_RAND_CTX, DriverError> {
    let (mut strength, mut generate) = (STRENGTH, 1);
    // SAFETY: the parameters and what they point to outlive the calls; the algorithm lives as
    // long as the process.
    unsafe {
        let name = c"TEST-RAND".as_ptr();
        let algorithm = ffi::EVP_RAND_fetch(ptr::null_mut(), name, ptr::null());
        let made = if algorithm.is_null() {
            ptr::null_mut()
        } else {
            ffi::EVP_RAND_CTX_new(algorithm, ptr::null_mut())
        };
        if made.is_null() {
            return Err(crate::error::failure("TEST-RAND"));
        }
        let parameters = [
            ffi::OSSL_PARAM_construct_uint(c"strength".as_ptr(), &raw mut strength),
            ffi::OSSL_PARAM_construct_uint(c"generate".as_ptr(), &raw mut generate),
            ffi::OSSL_PARAM_construct_end(),
        ];
        let (none, all) = (ptr::null(), parameters.as_ptr());
        let ready = ffi::EVP_RAND_instantiate(made, STRENGTH, 0, none, 0, all);
        check("EVP_RAND_instantiate", ready)?;
        Ok(made)
    }
}
