//! wolfSSL's own declarations, from its headers, and its errors.

#![allow(
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    dead_code,
    missing_docs,
    clippy::all,
    reason = "generated"
)]

include!(concat!(env!("OUT_DIR"), "/wolfssl.rs"));

use shakedown_driver::DriverError;
use std::ffi::{CStr, c_int, c_ulong};

/// The error of a call, in the library's words.
pub fn failure(what: &str, code: c_int) -> DriverError {
    // SAFETY: the library returns a string that lives as long as it does.
    let text = unsafe { CStr::from_ptr(wolfSSL_ERR_reason_error_string(code as c_ulong)) };
    DriverError(format!("{what}: {} ({code})", text.to_string_lossy()))
}

/// Turns wolfSSL's codes into a result: 1 is success, all others are errors.
///
/// # Errors
/// [`failure`] for any other code.
#[inline]
pub fn check(what: &str, code: c_int) -> Result<(), DriverError> {
    if code == WOLFSSL_SUCCESS { Ok(()) } else { Err(failure(what, code)) }
}
