//! OCSP responses: the application hands one out in a callback, as a copy of the library's own allocation.

use crate::{error::check, ffi as ssl};
use shakedown_driver::DriverError;
use std::{
    ffi::{c_int, c_long, c_void},
    mem, ptr,
};

/// A response where the callback finds it.
pub struct Staple(Box<Response>);

/// DER.
struct Response(Vec<u8>);

/// Makes a server staple `response`. What is returned must live as long as the context.
///
/// # Errors
/// What the library says.
///
/// # Safety
/// The context is alive.
pub unsafe fn staple(context: *mut ssl::SSL_CTX, response: Vec<u8>) -> Result<Staple, DriverError> {
    let mut staple = Staple(Box::new(Response(response)));
    let argument: *mut Response = &raw mut *staple.0;
    // SAFETY: the library calls the function with the arguments that it has, whatever type it is stored as.
    let callback = unsafe { mem::transmute::<StatusCallback, ssl::Callback>(hand_out) };
    let (function, pointer) =
        (ssl::SSL_CTRL_SET_TLSEXT_STATUS_REQ_CB, ssl::SSL_CTRL_SET_TLSEXT_STATUS_REQ_CB_ARG);
    // SAFETY: the caller's promises.
    unsafe {
        check(
            "the status callback",
            ssl::SSL_CTX_callback_ctrl(context, function, Some(callback)),
        )?;
        check("its argument", ssl::SSL_CTX_ctrl(context, pointer, 0, argument.cast()))?;
    }
    Ok(staple)
}

type StatusCallback = unsafe extern "C" fn(*mut ssl::SSL, *mut c_void) -> c_int;

/// Called for each client that asks.
unsafe extern "C" fn hand_out(connection: *mut ssl::SSL, staple: *mut c_void) -> c_int {
    // SAFETY: the pointer is that of `staple`; the connection takes the copy over.
    unsafe {
        let Response(response) = &*staple.cast();
        let copy = ssl::CRYPTO_malloc(response.len(), ptr::null(), 0).cast::<u8>();
        if copy.is_null() {
            return ssl::SSL_TLSEXT_ERR_ALERT_FATAL;
        }
        copy.copy_from_nonoverlapping(response.as_ptr(), response.len());
        let command = ssl::SSL_CTRL_SET_TLSEXT_STATUS_REQ_OCSP_RESP;
        ssl::SSL_ctrl(connection, command, response.len() as c_long, copy.cast());
    }
    ssl::SSL_TLSEXT_ERR_OK
}

/// Makes a client ask for a response.
///
/// # Errors
/// What the library says.
///
/// # Safety
/// The context is alive.
pub unsafe fn ask_for_staple(context: *mut ssl::SSL_CTX) -> Result<(), DriverError> {
    let (command, kind) = (ssl::SSL_CTRL_SET_TLSEXT_STATUS_REQ_TYPE, ssl::TLSEXT_STATUSTYPE_ocsp);
    // SAFETY: the command takes a number.
    check("the status type", unsafe { ssl::SSL_CTX_ctrl(context, command, kind, ptr::null_mut()) })
}

/// Whether a client got a response.
pub fn is_stapled(connection: *mut ssl::SSL) -> bool {
    let mut response: *mut u8 = ptr::null_mut();
    let command = ssl::SSL_CTRL_GET_TLSEXT_STATUS_REQ_OCSP_RESP;
    // SAFETY: the connection is alive; the library writes a pointer, and returns the length or -1.
    unsafe { ssl::SSL_ctrl(connection, command, 0, (&raw mut response).cast()) > 0 }
}
