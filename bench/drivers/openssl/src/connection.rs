//! One end of a connection.

use crate::{
    bio::{PipeIo, plug},
    context::Context,
    early_data::EarlyData,
    error::{self, check, failure},
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
    /// In scenarios with early data, where there is a session to send it with.
    early: Option<EarlyData>,
    /// Whether the handshake is over. While early data is under way the library may say so, too.
    completed: bool,
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
            let end = Self { ssl, bio, role, early: None, completed: false };
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

    /// Makes early data a part of the handshake.
    pub fn with_early_data(mut self, early: EarlyData) -> Self {
        self.early = Some(early);
        self
    }

    /// Sends or receives early data where it is time for it. Returns whether the handshake can go on.
    #[inline]
    fn early_step(&mut self) -> Result<bool, DriverError> {
        match &mut self.early {
            Some(early @ EarlyData::ToSend) => {
                // SAFETY: the connection is a client's, and new.
                unsafe { interface::send_early_data(self.ssl)? };
                *early = EarlyData::Sent;
                Ok(true)
            }
            // SAFETY: the connection is a server's.
            Some(EarlyData::Received(received)) => unsafe {
                interface::receive_early_data(self.ssl, received)
            },
            Some(EarlyData::Sent) | None => Ok(true),
        }
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
        let named = |error: DriverError| DriverError(format!("{:?}: {}", self.role, error.0));
        error::wants_more(self.ssl, what, returned).map_err(named)
    }
}

impl Connection for Ssl {
    #[inline]
    fn step(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError> {
        let mut wire = PipeIo { incoming, outgoing };
        plug(self.bio, &mut wire);
        if self.early.is_some() && !self.early_step()? {
            return Ok(());
        }
        // SAFETY: the connection is alive, and the wire stays where it is through the calls.
        unsafe {
            if self.is_handshaking() {
                let returned = ssl::SSL_do_handshake(self.ssl);
                if returned != 1 {
                    self.wants_more("the handshake", returned)?;
                } else {
                    self.completed = true;
                    if self.role == Role::Server {
                        interface::flush_tickets(self.ssl)?;
                    }
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
        unsafe { ssl::SSL_in_init(self.ssl) != 0 || self.early.is_some() && !self.completed }
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
        let early_data = match &self.early {
            Some(EarlyData::Received(received)) => received.data.is_whole(),
            Some(EarlyData::Sent) => interface::is_early_data_accepted(self.ssl),
            Some(EarlyData::ToSend) | None => false,
        };
        Ok(ConnectionInfo { early_data, ..facts::of(self.ssl, self.role == Role::Client)? })
    }
}
