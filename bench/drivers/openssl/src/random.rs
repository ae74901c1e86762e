//! Randomness that is the same in every run, so that counts repeat.

use crate::{
    error::check,
    ffi::{RAND_set_rand_method, RandMethod},
};
use driver::Failure;
use std::{
    ffi::{c_int, c_void},
    slice,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

static STATE: AtomicU64 = AtomicU64::new(0);

static METHOD: RandMethod = RandMethod {
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
pub fn fix(seed: u64) -> Result<(), Failure> {
    STATE.store(seed, Relaxed);
    // SAFETY: the method lives as long as the process and has every function that is called.
    check("RAND_set_rand_method", unsafe { RAND_set_rand_method(&raw const METHOD) })
}

extern "C" fn bytes(into: *mut u8, length: c_int) -> c_int {
    // SAFETY: the library hands over a buffer of that length.
    let into = unsafe { slice::from_raw_parts_mut(into, length as usize) };
    for byte in into {
        // SplitMix64 (Steele, Lea, Flood 2014).
        let state = STATE.fetch_add(0x9e37_79b9_7f4a_7c15, Relaxed);
        let mut mixed = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        *byte = (mixed ^ (mixed >> 31)) as u8;
    }
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
