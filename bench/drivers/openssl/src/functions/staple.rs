//! OCSP responses, which these libraries keep for the application.

use crate::{error::check, ffi as ssl};
use shakedown_driver::DriverError;
use std::ptr;

/// A response that a context has a copy of.
pub struct Staple;

/// Makes a server staple `response`.
///
/// # Errors
/// What the library says.
///
/// # Safety
/// The context is alive.
pub unsafe fn staple(context: *mut ssl::SSL_CTX, response: Vec<u8>) -> Result<Staple, DriverError> {
    // SAFETY: as the caller says; the library copies as many bytes as there are.
    let set = unsafe { ssl::SSL_CTX_set_ocsp_response(context, response.as_ptr(), response.len()) };
    check("SSL_CTX_set_ocsp_response", set).map(|()| Staple)
}

/// Makes a client ask for a response.
///
/// # Errors
/// Never.
///
/// # Safety
/// The context is alive.
pub unsafe fn ask_for_staple(context: *mut ssl::SSL_CTX) -> Result<(), DriverError> {
    // SAFETY: as the caller says.
    unsafe { ssl::SSL_CTX_enable_ocsp_stapling(context) };
    Ok(())
}

/// Whether a client got a response.
pub fn is_stapled(connection: *mut ssl::SSL) -> bool {
    let (mut response, mut length) = (ptr::null(), 0);
    // SAFETY: the connection is alive; the library writes a pointer and a length.
    unsafe { ssl::SSL_get0_ocsp_response(connection, &raw mut response, &raw mut length) };
    length > 0
}
