//! Early data: a handshake is over early, and what is then written and read is early.

use crate::{
    early_data::Received,
    error::{check, failure, wants_more},
    ffi as ssl,
};
use shakedown_driver::{DriverError, EARLY_DATA};
use std::ffi::c_int;

/// Makes a server take early data. The library does not protect from replay.
///
/// # Errors
/// Never.
///
/// # Safety
/// The context is alive.
pub unsafe fn accept_early_data(context: *mut ssl::SSL_CTX) -> Result<(), DriverError> {
    // SAFETY: as the caller says.
    unsafe { ssl::SSL_CTX_set_early_data_enabled(context, 1) };
    Ok(())
}

/// Makes a client send early data if its session permits it.
///
/// # Safety
/// The context is alive.
pub unsafe fn offer_early_data(context: *mut ssl::SSL_CTX) {
    // SAFETY: as the caller says.
    unsafe { ssl::SSL_CTX_set_early_data_enabled(context, 1) };
}

/// Sends the hello and the early data.
///
/// # Errors
/// What the library says, or that the session does not permit it.
///
/// # Safety
/// The connection is a client's, alive, and has done nothing; it offers a session.
pub unsafe fn send_early_data(connection: *mut ssl::SSL) -> Result<(), DriverError> {
    // SAFETY: as the caller says.
    unsafe {
        check("the early part of the handshake", ssl::SSL_do_handshake(connection))?;
        if ssl::SSL_in_early_data(connection) != 1 {
            return Err(DriverError("the session does not permit early data".to_owned()));
        }
        let (data, length) = (EARLY_DATA.as_ptr().cast(), EARLY_DATA.len() as c_int);
        if ssl::SSL_write(connection, data, length) != length {
            return Err(failure("SSL_write of early data"));
        }
    }
    Ok(())
}

/// Receives what has arrived of early data, after the part of the handshake that comes before it. The rest of
/// the handshake can always follow.
///
/// # Errors
/// What the library says.
///
/// # Safety
/// The connection is a server's, and alive.
pub unsafe fn receive_early_data(
    connection: *mut ssl::SSL,
    received: &mut Received,
) -> Result<bool, DriverError> {
    if received.over {
        return Ok(true);
    }
    // SAFETY: as the caller says.
    unsafe {
        let returned = ssl::SSL_do_handshake(connection);
        if returned != 1 {
            wants_more(connection, "the early part of the handshake", returned)?;
        }
        received.over = true;
        while ssl::SSL_in_early_data(connection) == 1 {
            let room = received.data.room();
            let (into, length) = (room.as_mut_ptr().cast(), room.len() as c_int);
            let read = ssl::SSL_read(connection, into, length);
            if read <= 0 {
                wants_more(connection, "SSL_read of early data", read)?;
                break;
            }
            received.data.took(read as usize);
        }
    }
    Ok(true)
}

/// Whether the server accepted the early data of a client.
pub fn is_early_data_accepted(connection: *mut ssl::SSL) -> bool {
    // SAFETY: the connection is alive.
    unsafe { ssl::SSL_early_data_accepted(connection) == 1 }
}
