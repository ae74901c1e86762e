//! A `RAND_METHOD`: deprecated since 3.0, but it serves every thread and takes a seed.

use crate::{
    error::check,
    ffi::{RAND_METHOD, RAND_set_rand_method},
};
use shakedown_driver::{DeterministicRng, DriverError};
use std::{
    ffi::{c_int, c_void},
    slice,
};

static STATE: DeterministicRng = DeterministicRng::new(0);

static METHOD: RAND_METHOD = RAND_METHOD {
    seed: Some(seed),
    bytes: Some(bytes),
    cleanup: None,
    add: Some(add),
    pseudorand: Some(bytes),
    status: Some(status),
};

/// Takes the place of the library's generator.
///
/// # Errors
/// If the library does not let it.
pub fn fix(seed: u64) -> Result<(), DriverError> {
    STATE.reseed(seed);
    // SAFETY: the method lives as long as the process and has every function that is called.
    check("RAND_set_rand_method", unsafe { RAND_set_rand_method(&raw const METHOD) })
}

extern "C" fn bytes(into: *mut u8, length: c_int) -> c_int {
    // SAFETY: the library hands over a buffer of that length.
    let into = unsafe { slice::from_raw_parts_mut(into, length as usize) };
    STATE.fill(into);
    1
}

extern "C" fn seed(_: *const c_void, _: c_int) -> c_int {
    1
}

extern "C" fn add(_: *const c_void, _: c_int, _: f64) -> c_int {
    1
}

extern "C" fn status() -> c_int {
    1
}
