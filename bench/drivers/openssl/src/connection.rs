//! One end of a connection.

use crate::{
    bio::{PipeIo, plug},
    context::Context,
    error::{check, failure},
    facts, ffi as ssl, interface, name,
};
use shakedown_driver::{Connection, ConnectionInfo, DriverError, Pipe};
use std::ffi::c_int;

/// Which end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It connects.
    Client,
    /// It accepts.
    Server,
}

/// An `SSL` with its BIO.
pub struct Ssl {
    ssl: *mut ssl::SSL,
    /// Owned by `ssl`.
    bio: *mut ssl::BIO,
    role: Role,
}

impl Drop for Ssl {
    fn drop(&mut self) {
        // SAFETY: we own it.
        unsafe { ssl::SSL_free(self.ssl) };
    }
}

/// Of `SSL_set_shutdown`: close-notify sent and received.
const BOTH_SHUT_DOWN: c_int = ssl::SSL_SENT_SHUTDOWN | ssl::SSL_RECEIVED_SHUTDOWN;

impl Ssl {
    /// A new connection over `bio`, which it takes over.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn new(context: &Context, bio: *mut ssl::BIO, role: Role) -> Result<Self, DriverError> {
        // SAFETY: the context lives; the connection takes the BIO over, as reader and writer.
        unsafe {
            let ssl = ssl::SSL_new(context.as_ptr());
            if ssl.is_null() {
                ssl::BIO_free_all(bio);
                return Err(failure("SSL_new"));
            }
            ssl::SSL_set_bio(ssl, bio, bio);
            let end = Self { ssl, bio, role };
            match role {
                Role::Client => {
                    ssl::SSL_set_connect_state(ssl);
                    name::expect(ssl)?;
                }
                Role::Server => ssl::SSL_set_accept_state(ssl),
            }
            Ok(end)
        }
    }

    /// Offers a session for resumption.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn offer(&self, session: *mut ssl::SSL_SESSION) -> Result<(), DriverError> {
        // SAFETY: both are alive; the connection takes a reference of its own.
        check("SSL_set_session", unsafe { ssl::SSL_set_session(self.ssl, session) })
    }

    /// Pretends that both ends said good-bye: a connection that is freed without that takes
    /// its session with it.
    pub fn close_cleanly(&self) {
        // SAFETY: the connection is alive.
        unsafe { ssl::SSL_set_shutdown(self.ssl, BOTH_SHUT_DOWN) };
    }

    /// `Ok` if what was returned only means that more must arrive first.
    #[inline]
    fn wants_more(&self, what: &str, returned: c_int) -> Result<(), DriverError> {
        // SAFETY: the connection is alive.
        match unsafe { ssl::SSL_get_error(self.ssl, returned) } {
            ssl::SSL_ERROR_WANT_READ => Ok(()),
            code => Err(failure(&format!("{what} of the {:?} failed with {code}", self.role))),
        }
    }
}

impl Connection for Ssl {
    #[inline]
    fn step(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError> {
        let mut wire = PipeIo { incoming, outgoing };
        plug(self.bio, &mut wire);
        // SAFETY: the connection is alive, and the wire stays where it is through the calls.
        unsafe {
            if ssl::SSL_in_init(self.ssl) != 0 {
                let returned = ssl::SSL_do_handshake(self.ssl);
                if returned != 1 {
                    self.wants_more("the handshake", returned)?;
                } else if self.role == Role::Server {
                    interface::flush_tickets(self.ssl)?;
                }
            }
            if !wire.incoming.is_empty() {
                // Reads tickets. There is no application data, so that it always wants more.
                let mut byte = 0_u8;
                let returned = ssl::SSL_peek(self.ssl, (&raw mut byte).cast(), 1);
                if returned <= 0 {
                    self.wants_more("reading after the handshake", returned)?;
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn is_handshaking(&self) -> bool {
        // SAFETY: the connection is alive.
        unsafe { ssl::SSL_in_init(self.ssl) != 0 }
    }

    #[inline]
    fn send(&mut self, mut data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError> {
        let mut nothing = Pipe::default();
        let mut wire = PipeIo { incoming: &mut nothing, outgoing };
        plug(self.bio, &mut wire);
        while !data.is_empty() {
            let length = c_int::try_from(data.len()).unwrap_or(c_int::MAX);
            // SAFETY: the connection is alive, the wire stays, the data is as long as we say.
            let sent = unsafe { ssl::SSL_write(self.ssl, data.as_ptr().cast(), length) };
            if sent <= 0 {
                return Err(failure("SSL_write"));
            }
            data = &data[sent as usize..];
        }
        Ok(())
    }

    #[inline]
    fn receive(&mut self, incoming: &mut Pipe, into: &mut [u8]) -> Result<usize, DriverError> {
        let mut nothing = Pipe::default();
        let mut wire = PipeIo { incoming, outgoing: &mut nothing };
        plug(self.bio, &mut wire);
        let mut have = 0;
        while have < into.len() {
            let rest = &mut into[have..];
            let length = c_int::try_from(rest.len()).unwrap_or(c_int::MAX);
            // SAFETY: the connection is alive, the wire stays, the buffer is as long as we say.
            let got = unsafe { ssl::SSL_read(self.ssl, rest.as_mut_ptr().cast(), length) };
            if got <= 0 {
                self.wants_more("SSL_read", got)?;
                break;
            }
            have += got as usize;
        }
        Ok(have)
    }

    fn connection_info(&self) -> Result<ConnectionInfo, DriverError> {
        facts::of(self.ssl)
    }
}
