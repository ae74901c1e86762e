//! The interface of OpenSSL and LibreSSL: settings by number, behind macros in C.

mod early_data;
mod facts;
mod staple;

pub use early_data::{
    accept_early_data, is_early_data_accepted, offer_early_data, receive_early_data,
    send_early_data,
};
pub use facts::{group, signature};
pub use staple::{Staple, ask_for_staple, is_stapled, staple};

use crate::{
    error::{check, failure},
    ffi as ssl,
};
use shakedown_driver::{DriverError, EndpointConfig};
use shakedown_protocol::{CipherSuite, DriverRefusal};
use std::{
    ffi::{CStr, c_char, c_int, c_long},
    ptr,
};

/// Loads the library's error texts, and leaves its tables alone when the process ends.
///
/// # Errors
/// What the library says.
pub fn initialize() -> Result<(), DriverError> {
    let options = ssl::OPENSSL_INIT_LOAD_SSL_STRINGS;
    #[cfg(offered = "OPENSSL_INIT_NO_ATEXIT")]
    let options = options | ssl::OPENSSL_INIT_NO_ATEXIT;
    // SAFETY: there are no settings.
    check("OPENSSL_init_ssl", unsafe { ssl::OPENSSL_init_ssl(options, ptr::null()) })
}

/// A new index for data of contexts.
pub fn context_index() -> c_int {
    let (class, none) = (ssl::CRYPTO_EX_INDEX_SSL_CTX, ptr::null_mut());
    // SAFETY: no callbacks are given.
    unsafe {
        ssl::CRYPTO_get_ex_new_index(
            class,
            0,
            none,
            ptr::null_mut(),
            ptr::null_mut(),
            ptr::null_mut(),
        )
    }
}

/// One of the commands that C has behind macros.
///
/// # Safety
/// The context is alive, and the command takes a number and no pointer.
unsafe fn control(context: *mut ssl::SSL_CTX, command: c_int, number: c_long) -> c_long {
    // SAFETY: the caller's promise.
    unsafe { ssl::SSL_CTX_ctrl(context, command, number, ptr::null_mut()) }
}

/// Every scenario can be tried.
///
/// # Errors
/// Never.
pub const fn offers(_: &EndpointConfig) -> Result<(), DriverRefusal> {
    Ok(())
}

/// Sets the only version; `false` if the library does not have it.
///
/// # Safety
/// The context is alive. So it is for all functions here.
pub unsafe fn set_version(context: *mut ssl::SSL_CTX, version: c_int) -> bool {
    // SAFETY: both commands take a number.
    unsafe {
        control(context, ssl::SSL_CTRL_SET_MIN_PROTO_VERSION, version.into()) == 1
            && control(context, ssl::SSL_CTRL_SET_MAX_PROTO_VERSION, version.into()) == 1
    }
}

/// Sets the only cipher suite of TLS 1.3.
///
/// # Errors
/// If the library does not have it.
///
/// # Safety
/// As above.
pub unsafe fn set_tls13_cipher_suite(
    context: *mut ssl::SSL_CTX,
    _: CipherSuite,
    name: &CStr,
) -> Result<(), DriverRefusal> {
    // SAFETY: the name is a C string.
    match unsafe { ssl::SSL_CTX_set_ciphersuites(context, name.as_ptr()) } {
        1 => Ok(()),
        _ => {
            let what = format!("this build has no {}", name.to_string_lossy());
            Err(DriverRefusal::Unsupported(failure(&what).0))
        }
    }
}

/// Sets the groups; `false` if the library does not know one.
///
/// # Safety
/// As above.
pub unsafe fn set_groups(context: *mut ssl::SSL_CTX, list: &CStr) -> bool {
    // SAFETY: the command takes a C string, which it only reads.
    unsafe {
        let list = list.as_ptr().cast_mut().cast();
        ssl::SSL_CTX_ctrl(context, ssl::SSL_CTRL_SET_GROUPS_LIST, 0, list) == 1
    }
}

/// Sets the number of tickets after a TLS 1.3 handshake.
///
/// # Errors
/// What the library says.
///
/// # Safety
/// As above.
pub unsafe fn set_tickets(context: *mut ssl::SSL_CTX, tickets: u8) -> Result<(), DriverRefusal> {
    // SAFETY: as the caller says.
    let set = unsafe { ssl::SSL_CTX_set_num_tickets(context, tickets.into()) };
    Ok(check("SSL_CTX_set_num_tickets", set)?)
}

/// Forbids tickets.
///
/// # Safety
/// As above.
pub unsafe fn no_tickets(context: *mut ssl::SSL_CTX) {
    // SAFETY: as the caller says.
    unsafe { ssl::SSL_CTX_set_options(context, ssl::SSL_OP_NO_TICKET) };
}

/// Sets what the library keeps of sessions.
///
/// # Safety
/// As above.
pub unsafe fn set_cache_mode(context: *mut ssl::SSL_CTX, mode: c_int) {
    // SAFETY: the command takes a number.
    unsafe { control(context, ssl::SSL_CTRL_SET_SESS_CACHE_MODE, mode.into()) };
}

/// Sets how many sessions the server keeps.
///
/// # Safety
/// As above.
pub unsafe fn set_cache_size(context: *mut ssl::SSL_CTX, sessions: usize) {
    // SAFETY: the command takes a number.
    unsafe { control(context, ssl::SSL_CTRL_SET_SESS_CACHE_SIZE, sessions as c_long) };
}

/// Sets how much application data goes into one record.
///
/// # Errors
/// What the library says.
///
/// # Safety
/// As above.
pub unsafe fn limit_records(context: *mut ssl::SSL_CTX, bytes: u64) -> Result<(), DriverError> {
    // SAFETY: the command takes a number.
    let set = unsafe { control(context, ssl::SSL_CTRL_SET_MAX_SEND_FRAGMENT, bytes as c_long) };
    check("SSL_CTX_set_max_send_fragment", set)
}

/// A client takes every kind of key by default.
///
/// # Errors
/// Never.
///
/// # Safety
/// None is needed.
pub const unsafe fn accept_key(
    _: *mut ssl::SSL_CTX,
    _: &EndpointConfig,
) -> Result<(), DriverError> {
    Ok(())
}

/// Asks for the server by name.
///
/// # Errors
/// What the library says.
///
/// # Safety
/// The connection is alive, the name a C string.
#[inline]
pub unsafe fn ask_for(connection: *mut ssl::SSL, name: *const c_char) -> Result<(), DriverError> {
    let (command, kind) = (ssl::SSL_CTRL_SET_TLSEXT_HOSTNAME, ssl::TLSEXT_NAMETYPE_host_name);
    // SAFETY: the caller's promise; the library copies the name.
    check("SNI", unsafe { ssl::SSL_ctrl(connection, command, kind, name.cast_mut().cast()) })
}

/// The library has sent its tickets by the end of the handshake.
///
/// # Safety
/// None is needed.
#[inline]
pub const unsafe fn flush_tickets(_: *mut ssl::SSL) -> Result<(), DriverError> {
    Ok(())
}
