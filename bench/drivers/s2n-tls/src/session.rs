//! One end of a connection.

use crate::{
    config::Config,
    error::{blocked, check, failure},
    facts,
};
use s2n_tls_sys as s2n;
use shakedown_driver::{Connection, ConnectionInfo, DriverError, Pipe};
use std::{
    ffi::{CStr, c_int, c_void},
    ptr, slice,
};

/// A connection of s2n-tls.
pub struct Session {
    raw: *mut s2n::s2n_connection,
    handshaking: bool,
}

// SAFETY: nothing in a connection belongs to a thread; it is used by one at a time.
unsafe impl Send for Session {}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: we own it.
        unsafe { s2n::s2n_connection_free(self.raw) };
    }
}

impl Session {
    /// A connection with a configuration that outlives it.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn new(mode: s2n::s2n_mode::Type, config: &Config) -> Result<Self, DriverError> {
        // SAFETY: a new connection; the functions live for ever.
        unsafe {
            let raw = s2n::s2n_connection_new(mode);
            if raw.is_null() {
                return Err(failure("s2n_connection_new"));
            }
            let session = Self { raw, handshaking: true };
            check(
                "s2n_connection_set_config",
                s2n::s2n_connection_set_config(raw, config.as_ptr()),
            )?;
            let own = s2n::s2n_blinding::SELF_SERVICE_BLINDING;
            check("s2n_connection_set_blinding", s2n::s2n_connection_set_blinding(raw, own))?;
            check("s2n_connection_set_recv_cb", s2n::s2n_connection_set_recv_cb(raw, Some(pull)))?;
            check("s2n_connection_set_send_cb", s2n::s2n_connection_set_send_cb(raw, Some(push)))?;
            Ok(session)
        }
    }

    /// The library's pointer, valid for as long as `self`.
    pub const fn as_ptr(&self) -> *mut s2n::s2n_connection {
        self.raw
    }

    /// Names the server, for the extension and for its certificate.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn expect(&self, name: &CStr) -> Result<(), DriverError> {
        // SAFETY: the connection is alive and copies the name.
        check("s2n_set_server_name", unsafe { s2n::s2n_set_server_name(self.raw, name.as_ptr()) })
    }

    /// Lets the connection use the pipes until the next call.
    #[inline]
    fn plug(&self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError> {
        let (from, to) = (ptr::from_mut(incoming).cast(), ptr::from_mut(outgoing).cast());
        // SAFETY: the connection is alive; the caller keeps the pipes in place.
        unsafe {
            check("s2n_connection_set_recv_ctx", s2n::s2n_connection_set_recv_ctx(self.raw, from))?;
            check("s2n_connection_set_send_ctx", s2n::s2n_connection_set_send_ctx(self.raw, to))
        }
    }

    /// What the library reads now; nothing if it wants more to arrive.
    #[inline]
    fn read(&self, into: &mut [u8]) -> Result<usize, DriverError> {
        let mut status = 0;
        // SAFETY: the connection is alive, the buffer is as long as we say.
        let got = unsafe {
            s2n::s2n_recv(self.raw, into.as_mut_ptr().cast(), into.len() as isize, &mut status)
        };
        match got {
            0 => Err(DriverError("the peer said good-bye".to_owned())),
            got if got > 0 => Ok(got as usize),
            _ if blocked() => Ok(0),
            _ => Err(failure("s2n_recv")),
        }
    }
}

impl Connection for Session {
    #[inline]
    fn step(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError> {
        self.plug(incoming, outgoing)?;
        if self.handshaking {
            let mut status = 0;
            // SAFETY: the connection is alive.
            if unsafe { s2n::s2n_negotiate(self.raw, &mut status) } < 0 {
                return if blocked() { Ok(()) } else { Err(failure("s2n_negotiate")) };
            }
            self.handshaking = false;
        }
        if !incoming.is_empty() {
            // Reads tickets. There is no application data.
            self.read(&mut [0])?;
        }
        Ok(())
    }

    #[inline]
    fn is_handshaking(&self) -> bool {
        self.handshaking
    }

    #[inline]
    fn send(&mut self, mut data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError> {
        let mut nothing = Pipe::default();
        self.plug(&mut nothing, outgoing)?;
        while !data.is_empty() {
            let mut status = 0;
            // SAFETY: the connection is alive, the data is as long as we say.
            let sent = unsafe {
                s2n::s2n_send(self.raw, data.as_ptr().cast(), data.len() as isize, &mut status)
            };
            if sent <= 0 {
                return Err(failure("s2n_send"));
            }
            data = &data[sent as usize..];
        }
        Ok(())
    }

    #[inline]
    fn receive(&mut self, incoming: &mut Pipe, into: &mut [u8]) -> Result<usize, DriverError> {
        let mut nothing = Pipe::default();
        self.plug(incoming, &mut nothing)?;
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
        facts::of(self.raw)
    }
}

unsafe extern "C" fn pull(from: *mut c_void, into: *mut u8, length: u32) -> c_int {
    // SAFETY: the library calls this inside of our call, with a buffer of this length.
    let (pipe, into) =
        unsafe { (&mut *from.cast::<Pipe>(), slice::from_raw_parts_mut(into, length as usize)) };
    if pipe.is_empty() {
        errno::set_errno(errno::Errno(libc::EAGAIN));
        return -1;
    }
    pipe.take_into(into) as c_int
}

unsafe extern "C" fn push(to: *mut c_void, bytes: *const u8, length: u32) -> c_int {
    // SAFETY: the library calls this inside of our call, with this number of bytes.
    unsafe { (*to.cast::<Pipe>()).put(slice::from_raw_parts(bytes, length as usize)) };
    length as c_int
}
