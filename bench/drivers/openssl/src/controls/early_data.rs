//! Early data, which has functions of its own before those of the handshake.

use crate::{
    early_data::Received,
    error::{check, wants_more},
    ffi as ssl,
};
use shakedown_driver::{DriverError, EARLY_DATA};

/// Makes a server take early data. It then keeps its sessions and lets each be resumed once, which is how the
/// library protects from replay.
///
/// # Errors
/// What the library says.
///
/// # Safety
/// The context is alive, and a server's.
pub unsafe fn accept_early_data(context: *mut ssl::SSL_CTX) -> Result<(), DriverError> {
    // SAFETY: as the caller says.
    check("SSL_CTX_set_max_early_data", unsafe {
        ssl::SSL_CTX_set_max_early_data(context, 16 * EARLY_DATA.len() as u32)
    })
}

/// A client needs no more than a session that permits early data.
///
/// # Safety
/// None is needed.
pub const unsafe fn offer_early_data(_: *mut ssl::SSL_CTX) {}

/// Sends the hello and the early data.
///
/// # Errors
/// What the library says.
///
/// # Safety
/// The connection is a client's, alive, and has done nothing; it offers a session.
pub unsafe fn send_early_data(connection: *mut ssl::SSL) -> Result<(), DriverError> {
    let mut written = 0;
    let (data, length) = (EARLY_DATA.as_ptr().cast(), EARLY_DATA.len());
    // SAFETY: as the caller says; the data is as long as we say.
    check("SSL_write_early_data", unsafe {
        ssl::SSL_write_early_data(connection, data, length, &raw mut written)
    })
}

/// Receives what has arrived of early data. Returns whether all has, so that the rest of the handshake can
/// follow.
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
    while !received.over {
        let (room, mut read) = (received.data.room(), 0);
        // SAFETY: as the caller says; the buffer is as long as we say.
        let returned = unsafe {
            ssl::SSL_read_early_data(
                connection,
                room.as_mut_ptr().cast(),
                room.len(),
                &raw mut read,
            )
        };
        match returned {
            ssl::SSL_READ_EARLY_DATA_SUCCESS => received.data.took(read),
            ssl::SSL_READ_EARLY_DATA_FINISH => received.over = true,
            _ => {
                wants_more(connection, "SSL_read_early_data", returned)?;
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Whether the server accepted the early data of a client.
pub fn is_early_data_accepted(connection: *mut ssl::SSL) -> bool {
    // SAFETY: the connection is alive.
    unsafe { ssl::SSL_get_early_data_status(connection) == ssl::SSL_EARLY_DATA_ACCEPTED }
}
