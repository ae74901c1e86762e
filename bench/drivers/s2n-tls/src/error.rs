//! The library's errors, in its own words.

use s2n_tls_sys as s2n;
use shakedown_driver::DriverError;
use std::{ffi::CStr, ptr};

/// The error of the last call of this thread.
pub fn failure(what: &str) -> DriverError {
    // SAFETY: the library returns strings that live as long as it does.
    let text = unsafe {
        let code = *s2n::s2n_errno_location();
        CStr::from_ptr(s2n::s2n_strerror_debug(code, ptr::null())).to_string_lossy()
    };
    DriverError(format!("{what}: {text}"))
}

/// Whether the last call of this thread only wants more to arrive.
#[inline]
pub fn blocked() -> bool {
    // SAFETY: the thread's own variable.
    unsafe {
        let code = *s2n::s2n_errno_location();
        s2n::s2n_error_get_type(code) == s2n::s2n_error_type::BLOCKED as i32
    }
}

/// Turns a negative return value into an error.
///
/// # Errors
/// [`failure`].
#[inline]
pub fn check(what: &str, returned: impl Into<i64>) -> Result<(), DriverError> {
    if returned.into() < 0 { Err(failure(what)) } else { Ok(()) }
}
