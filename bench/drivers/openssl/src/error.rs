//! The library's errors, in its own words.

use crate::ffi::{ERR_error_string_n, ERR_get_error, SSL, SSL_ERROR_WANT_READ, SSL_get_error};
use shakedown_driver::DriverError;
use std::ffi::{CStr, c_char, c_int};

/// Everything in the error queue of this thread, after the name of what failed. Empties the
/// queue.
pub fn failure(what: &str) -> DriverError {
    let mut text = what.to_owned();
    let mut buffer = [0 as c_char; 256];
    loop {
        // SAFETY: the buffer is as long as we say, and is ended by a zero.
        let line = unsafe {
            let code = ERR_get_error();
            if code == 0 {
                break;
            }
            ERR_error_string_n(code, buffer.as_mut_ptr(), buffer.len());
            CStr::from_ptr(buffer.as_ptr())
        };
        text.push_str(": ");
        text.push_str(&line.to_string_lossy());
    }
    DriverError(text)
}

/// For a call that this version of OpenSSL does not have.
#[allow(dead_code, reason = "for versions that lack something")]
pub fn not_offered(what: &str) -> DriverError {
    DriverError(format!("not offered by this version: {what}"))
}

/// Turns OpenSSL's 1 for success into a result.
///
/// # Errors
/// [`failure`] for anything else.
pub fn check(what: &str, returned: impl Into<i64>) -> Result<(), DriverError> {
    if returned.into() == 1 { Ok(()) } else { Err(failure(what)) }
}

/// `Ok` if what a call of this connection returned only means that more must arrive first.
///
/// # Errors
/// [`failure`] for anything else.
#[inline]
pub fn wants_more(connection: *mut SSL, what: &str, returned: c_int) -> Result<(), DriverError> {
    // SAFETY: the caller's connection is alive.
    match unsafe { SSL_get_error(connection, returned) } {
        SSL_ERROR_WANT_READ => Ok(()),
        code => Err(failure(&format!("{what} failed with {code}"))),
    }
}
