//! The server's name: what the client asks for, and verifies.

use crate::{error::check, ffi, interface};
use shakedown_driver::{DriverError, SERVER_NAME};
use std::{
    ffi::{CString, c_char, c_int},
    sync::OnceLock,
};

/// The server's name as C has it.
fn server_name() -> &'static CString {
    static NAME: OnceLock<CString> = OnceLock::new();
    NAME.get_or_init(|| CString::new(SERVER_NAME).unwrap_or_default())
}

/// Asks for the server by name, and makes the handshake fail unless its certificate has it.
///
/// # Errors
/// What the library says, or that it offers no way to verify a name.
///
/// # Safety
/// The connection is alive.
#[inline]
pub unsafe fn expect(connection: *mut ffi::SSL) -> Result<(), DriverError> {
    let name = server_name().as_ptr();
    // SAFETY: the caller's connection is alive; the library copies the name.
    unsafe {
        interface::ask_for(connection, name)?;
        check("the name to verify", verify(connection, name)?)
    }
}

/// Deprecated since 4.0, and preferred while it is there: earlier versions have nothing else, and
/// two versions are compared with the same call.
#[cfg(offered = "SSL_set1_host")]
unsafe fn verify(connection: *mut ffi::SSL, name: *const c_char) -> Result<c_int, DriverError> {
    // SAFETY: as the caller says.
    Ok(unsafe { ffi::SSL_set1_host(connection, name) })
}

#[cfg(all(not(offered = "SSL_set1_host"), offered = "SSL_set1_dnsname"))]
unsafe fn verify(connection: *mut ffi::SSL, name: *const c_char) -> Result<c_int, DriverError> {
    // SAFETY: as the caller says.
    Ok(unsafe { ffi::SSL_set1_dnsname(connection, name) })
}

#[cfg(not(any(offered = "SSL_set1_host", offered = "SSL_set1_dnsname")))]
unsafe fn verify(_: *mut ffi::SSL, _: *const c_char) -> Result<c_int, DriverError> {
    Err(crate::error::not_offered("SSL_set1_host or SSL_set1_dnsname, to verify the server's name"))
}
