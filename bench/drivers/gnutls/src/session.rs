//! One end of a connection.

use crate::{
    facts,
    ffi::{self, check, failure},
};
use shakedown_driver::{Connection, ConnectionInfo, DriverError, Pipe};
use std::{
    ffi::{c_int, c_uint, c_void},
    ptr, slice,
};

/// Which end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It connects.
    Client,
    /// It accepts.
    Server,
}

/// A session of GnuTLS.
pub struct Session {
    raw: ffi::gnutls_session_t,
    role: Role,
    handshaking: bool,
    /// Tickets still to send.
    tickets: u8,
}

// SAFETY: nothing in a session belongs to a thread; it is used by one at a time.
unsafe impl Send for Session {}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: we own it.
        unsafe { ffi::gnutls_deinit(self.raw) };
    }
}

/// Both directions, for the time of one call into the library.
struct Wire<'a> {
    session: ffi::gnutls_session_t,
    incoming: &'a mut Pipe,
    outgoing: &'a mut Pipe,
}

impl Session {
    /// A session that does not block.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn new(role: Role, flags: c_uint) -> Result<Self, DriverError> {
        let mut raw = ptr::null_mut();
        let flags = flags | ffi::GNUTLS_NONBLOCK;
        // SAFETY: the library writes the pointer; the functions live for ever.
        unsafe {
            check("gnutls_init", ffi::gnutls_init(&mut raw, flags))?;
            ffi::gnutls_transport_set_pull_function(raw, Some(pull));
            ffi::gnutls_transport_set_push_function(raw, Some(push));
            ffi::gnutls_transport_set_pull_timeout_function(raw, Some(pull_timeout));
        }
        Ok(Self { raw, role, handshaking: true, tickets: 0 })
    }

    /// The library's pointer, valid for as long as `self`.
    pub const fn as_ptr(&self) -> ffi::gnutls_session_t {
        self.raw
    }

    /// The number of tickets that this server sends after its handshake.
    pub const fn owe_tickets(&mut self, tickets: u8) {
        self.tickets = tickets;
    }

    /// Lets the session use the pipes for one call.
    #[inline]
    fn with<T>(
        &self,
        incoming: &mut Pipe,
        outgoing: &mut Pipe,
        call: impl FnOnce(ffi::gnutls_session_t, &mut Wire<'_>) -> T,
    ) -> T {
        let mut wire = Wire { session: self.raw, incoming, outgoing };
        // SAFETY: the session is alive, and the wire stays in place through the call.
        unsafe { ffi::gnutls_transport_set_ptr(self.raw, ptr::from_mut(&mut wire).cast()) };
        call(self.raw, &mut wire)
    }
}

/// Whether a code only means that more must arrive first.
const fn wants_more(code: c_int) -> bool {
    code == ffi::GNUTLS_E_AGAIN || code == ffi::GNUTLS_E_INTERRUPTED
}

impl Connection for Session {
    #[inline]
    fn step(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError> {
        let (mut handshaking, tickets) = (self.handshaking, self.tickets);
        let done = self.with(incoming, outgoing, |raw, wire| {
            if handshaking {
                // SAFETY: the session is alive.
                let code = unsafe { ffi::gnutls_handshake(raw) };
                if code < 0
                    && (wants_more(code) || unsafe { ffi::gnutls_error_is_fatal(code) } == 0)
                {
                    return Ok(false);
                }
                check("gnutls_handshake", code)?;
                handshaking = false;
                if tickets > 0 {
                    // SAFETY: as above.
                    let sent = unsafe { ffi::gnutls_session_ticket_send(raw, tickets.into(), 0) };
                    check("gnutls_session_ticket_send", sent)?;
                }
            }
            if !wire.incoming.is_empty() {
                // Reads tickets. There is no application data, so that it always wants more.
                let mut byte = 0_u8;
                // SAFETY: as above; the buffer has one byte.
                let got = unsafe { ffi::gnutls_record_recv(raw, (&raw mut byte).cast(), 1) };
                if got != ffi::GNUTLS_E_AGAIN as isize {
                    return Err(failure("reading after the handshake", got as c_int));
                }
            }
            Ok(true)
        })?;
        if done {
            (self.handshaking, self.tickets) = (false, 0);
        }
        Ok(())
    }

    #[inline]
    fn is_handshaking(&self) -> bool {
        self.handshaking
    }

    #[inline]
    fn send(&mut self, mut data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError> {
        self.with(&mut Pipe::default(), outgoing, |raw, _| {
            while !data.is_empty() {
                // SAFETY: the session is alive, the data is as long as we say.
                let sent =
                    unsafe { ffi::gnutls_record_send(raw, data.as_ptr().cast(), data.len()) };
                let sent = check("gnutls_record_send", sent as c_int)?;
                data = &data[sent as usize..];
            }
            Ok(())
        })
    }

    #[inline]
    fn receive(&mut self, incoming: &mut Pipe, into: &mut [u8]) -> Result<usize, DriverError> {
        self.with(incoming, &mut Pipe::default(), |raw, _| {
            let mut have = 0;
            while have < into.len() {
                let rest = &mut into[have..];
                // SAFETY: the session is alive, the buffer is as long as we say.
                let got =
                    unsafe { ffi::gnutls_record_recv(raw, rest.as_mut_ptr().cast(), rest.len()) };
                if got == ffi::GNUTLS_E_AGAIN as isize {
                    break;
                }
                let got = check("gnutls_record_recv", got as c_int)?;
                if got == 0 {
                    return Err(DriverError("the peer said good-bye".to_owned()));
                }
                have += got as usize;
            }
            Ok(have)
        })
    }

    fn connection_info(&self) -> Result<ConnectionInfo, DriverError> {
        facts::of(self.raw, self.role)
    }
}

/// The wire of the current call.
///
/// # Safety
/// Only inside of a call that [`Session::with`] makes.
unsafe fn wire<'a>(of: ffi::gnutls_transport_ptr_t) -> &'a mut Wire<'a> {
    // SAFETY: the caller's promise.
    unsafe { &mut *of.cast::<Wire<'a>>() }
}

unsafe extern "C" fn pull(
    of: ffi::gnutls_transport_ptr_t,
    into: *mut c_void,
    length: usize,
) -> isize {
    // SAFETY: the library calls this inside of our call, with a buffer of this length.
    unsafe {
        let wire = wire(of);
        if wire.incoming.is_empty() {
            ffi::gnutls_transport_set_errno(wire.session, EAGAIN);
            return -1;
        }
        wire.incoming.take_into(slice::from_raw_parts_mut(into.cast(), length)) as isize
    }
}

unsafe extern "C" fn push(
    of: ffi::gnutls_transport_ptr_t,
    bytes: *const c_void,
    length: usize,
) -> isize {
    // SAFETY: the library calls this inside of our call, with this number of bytes.
    unsafe { wire(of).outgoing.put(slice::from_raw_parts(bytes.cast(), length)) };
    length as isize
}

/// Whether something waits to be read; nobody waits for it.
unsafe extern "C" fn pull_timeout(of: ffi::gnutls_transport_ptr_t, _: c_uint) -> c_int {
    // SAFETY: the library calls this inside of our call.
    c_int::from(unsafe { !wire(of).incoming.is_empty() })
}

/// `errno` of a socket that would block, on Linux.
const EAGAIN: c_int = 11;
