//! Mbed TLS's own declarations, from its headers, and its errors.

#![allow(
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    dead_code,
    missing_docs,
    unsafe_op_in_unsafe_fn,
    unnecessary_transmutes,
    clippy::all,
    reason = "generated"
)]

include!(concat!(env!("OUT_DIR"), "/mbedtls.rs"));

use shakedown_driver::DriverError;
use std::{
    ffi::{CStr, c_char, c_int},
    mem::MaybeUninit,
};

/// The error of a call, in the library's words.
pub fn failure(what: &str, code: c_int) -> DriverError {
    let mut text = [0 as c_char; 200];
    // SAFETY: the buffer is as long as we say, and is ended by a zero.
    let text = unsafe {
        mbedtls_strerror(code, text.as_mut_ptr(), text.len());
        CStr::from_ptr(text.as_ptr())
    };
    DriverError(format!("{what}: {} ({code:#x})", text.to_string_lossy()))
}

/// Turns a code other than zero into an error.
///
/// # Errors
/// [`failure`].
#[inline]
pub fn check(what: &str, code: c_int) -> Result<(), DriverError> {
    if code == 0 { Ok(()) } else { Err(failure(what, code)) }
}

/// A structure of the library that stays where it is, set up by `init`.
pub fn made<T>(init: unsafe extern "C" fn(*mut T)) -> Box<T> {
    let mut made = Box::new(MaybeUninit::<T>::zeroed());
    // SAFETY: the library's functions of this name initialise the whole structure.
    unsafe {
        init(made.as_mut_ptr());
        Box::from_raw(Box::into_raw(made).cast::<T>())
    }
}
