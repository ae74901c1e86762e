//! GnuTLS's own declarations, from its headers, and its errors.

#![allow(
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    dead_code,
    missing_docs,
    clippy::all,
    reason = "generated"
)]

include!(concat!(env!("OUT_DIR"), "/gnutls.rs"));

use shakedown_driver::DriverError;
use std::ffi::{CStr, c_int};

/// The error of a call, in the library's words.
pub fn failure(what: &str, code: c_int) -> DriverError {
    // SAFETY: the library returns a string that lives as long as it does.
    let text = unsafe { CStr::from_ptr(gnutls_strerror(code)) }.to_string_lossy();
    DriverError(format!("{what}: {text} ({code})"))
}

/// Turns GnuTLS's negative error codes into a result.
///
/// # Errors
/// [`failure`] for a negative code.
#[inline]
pub fn check(what: &str, code: c_int) -> Result<c_int, DriverError> {
    if code < 0 { Err(failure(what, code)) } else { Ok(code) }
}
