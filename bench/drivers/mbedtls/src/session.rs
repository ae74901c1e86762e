//! One end of a connection.

use crate::{
    config::Config,
    facts,
    ffi::{self, check, failure, made},
    parts::Resumable,
};
use shakedown_driver::{Connection, ConnectionInfo, DriverError, FirstFlight, Pipe};
use std::{
    ffi::{CStr, c_int, c_uchar, c_void},
    ptr, slice,
    sync::Arc,
};

/// A connection of Mbed TLS.
pub struct Session {
    raw: Box<ffi::mbedtls_ssl_context>,
    /// Outlives the connection, which refers to it.
    _config: Arc<Config>,
    /// What a client sees of resumption and group, which the library does not tell.
    flight: Option<FirstFlight>,
    /// The newest session of a ticket that came after the handshake.
    ticket: Option<Resumable>,
}

// SAFETY: nothing in a connection belongs to a thread; it is used by one at a time.
unsafe impl Send for Session {}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: we own it.
        unsafe { ffi::mbedtls_ssl_free(&mut *self.raw) };
    }
}

/// Both directions, for the time of one call into the library.
struct Wire<'a> {
    incoming: &'a mut Pipe,
    outgoing: &'a mut Pipe,
}

impl Session {
    /// A connection with a configuration.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn new(config: &Arc<Config>) -> Result<Self, DriverError> {
        let mut raw = made(ffi::mbedtls_ssl_init);
        // SAFETY: a new context; the configuration outlives it.
        let set = unsafe { ffi::mbedtls_ssl_setup(&mut *raw, config.as_ptr()) };
        let config = Arc::clone(config);
        let session = Self { raw, _config: config, flight: None, ticket: None };
        check("mbedtls_ssl_setup", set)?;
        Ok(session)
    }

    /// Makes it a client of the server `name`.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn expect(&mut self, name: &CStr) -> Result<(), DriverError> {
        self.flight = Some(FirstFlight::default());
        // SAFETY: the context is alive and copies the name.
        check("mbedtls_ssl_set_hostname", unsafe {
            ffi::mbedtls_ssl_set_hostname(&mut *self.raw, name.as_ptr())
        })
    }

    /// Offers a session for resumption.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn offer(&mut self, session: &Resumable) -> Result<(), DriverError> {
        // SAFETY: the context is alive and copies the session.
        check("mbedtls_ssl_set_session", unsafe {
            ffi::mbedtls_ssl_set_session(&mut *self.raw, session.as_ptr())
        })
    }

    /// The session of the connection: that of its newest ticket, if one came.
    ///
    /// # Errors
    /// What the library says.
    pub fn resumable(&mut self) -> Result<Resumable, DriverError> {
        if let Some(ticket) = self.ticket.take() {
            return Ok(ticket);
        }
        let session = Resumable::new();
        // SAFETY: the context is alive; the library fills the session in.
        check("mbedtls_ssl_get_session", unsafe {
            ffi::mbedtls_ssl_get_session(&*self.raw, session.as_ptr())
        })?;
        Ok(session)
    }

    /// Lets the connection use the wire until the next call.
    #[inline]
    fn plug(&mut self, wire: &mut Wire<'_>) {
        let wire: *mut c_void = ptr::from_mut(wire).cast();
        // SAFETY: the context is alive; the caller keeps the wire in place.
        unsafe { ffi::mbedtls_ssl_set_bio(&mut *self.raw, wire, Some(push), Some(pull), None) };
    }

    /// What the library reads now; nothing if it wants more to arrive.
    #[inline]
    fn read(&mut self, into: &mut [u8]) -> Result<usize, DriverError> {
        loop {
            // SAFETY: the context is alive, the buffer is as long as we say.
            let got =
                unsafe { ffi::mbedtls_ssl_read(&mut *self.raw, into.as_mut_ptr(), into.len()) };
            match got {
                ffi::MBEDTLS_ERR_SSL_WANT_READ => return Ok(0),
                ffi::MBEDTLS_ERR_SSL_RECEIVED_NEW_SESSION_TICKET => {
                    self.ticket = None;
                    self.ticket = Some(self.resumable()?);
                }
                got if got > 0 => return Ok(got as usize),
                code => return Err(failure("mbedtls_ssl_read", code)),
            }
        }
    }
}

impl Connection for Session {
    #[inline]
    fn step(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError> {
        if let Some(flight) = &mut self.flight {
            flight.look(incoming);
        }
        let mut wire = Wire { incoming, outgoing };
        self.plug(&mut wire);
        if self.is_handshaking() {
            // SAFETY: the context is alive.
            match unsafe { ffi::mbedtls_ssl_handshake(&mut *self.raw) } {
                0 => {}
                ffi::MBEDTLS_ERR_SSL_WANT_READ => return Ok(()),
                code => return Err(failure("mbedtls_ssl_handshake", code)),
            }
        }
        if !wire.incoming.is_empty() {
            // Reads tickets. There is no application data.
            self.read(&mut [0])?;
        }
        Ok(())
    }

    #[inline]
    fn is_handshaking(&self) -> bool {
        // What the header's inline function does.
        self.raw.private_state < ffi::MBEDTLS_SSL_HANDSHAKE_OVER as c_int
    }

    #[inline]
    fn send(&mut self, mut data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError> {
        let mut wire = Wire { incoming: &mut Pipe::default(), outgoing };
        self.plug(&mut wire);
        while !data.is_empty() {
            // SAFETY: the context is alive, the data is as long as we say.
            let sent = unsafe { ffi::mbedtls_ssl_write(&mut *self.raw, data.as_ptr(), data.len()) };
            if sent <= 0 {
                return Err(failure("mbedtls_ssl_write", sent));
            }
            data = &data[sent as usize..];
        }
        Ok(())
    }

    #[inline]
    fn receive(&mut self, incoming: &mut Pipe, into: &mut [u8]) -> Result<usize, DriverError> {
        let mut wire = Wire { incoming, outgoing: &mut Pipe::default() };
        self.plug(&mut wire);
        let mut have = 0;
        while have < into.len() {
            match self.read(&mut into[have..])? {
                0 => break,
                got => have += got,
            }
        }
        Ok(have)
    }

    fn connection_info(&self) -> Result<ConnectionInfo, DriverError> {
        facts::of(&self.raw, self.flight)
    }
}

unsafe extern "C" fn pull(of: *mut c_void, into: *mut c_uchar, length: usize) -> c_int {
    // SAFETY: the library calls this inside of our call, with a buffer of this length.
    let (wire, into) =
        unsafe { (&mut *of.cast::<Wire<'_>>(), slice::from_raw_parts_mut(into, length)) };
    if wire.incoming.is_empty() {
        return ffi::MBEDTLS_ERR_SSL_WANT_READ;
    }
    wire.incoming.take_into(into) as c_int
}

unsafe extern "C" fn push(of: *mut c_void, bytes: *const c_uchar, length: usize) -> c_int {
    // SAFETY: the library calls this inside of our call, with this number of bytes.
    unsafe { (*of.cast::<Wire<'_>>()).outgoing.put(slice::from_raw_parts(bytes, length)) };
    length as c_int
}
