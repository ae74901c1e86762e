//! One end of a connection.

use crate::{
    context::Context,
    facts,
    ffi::{self, check, failure},
};
use shakedown_driver::{Connection, ConnectionInfo, DriverError, Pipe, SessionStore};
use std::{
    ffi::{CStr, c_char, c_int, c_void},
    ptr, slice,
    sync::Arc,
};

/// Which end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It connects.
    Client,
    /// It accepts.
    Server,
}

/// A connection's end, with the context that it was made from.
pub struct Session {
    raw: *mut ffi::WOLFSSL,
    role: Role,
    handshaking: bool,
    context: Arc<Context>,
}

// SAFETY: nothing in a session belongs to a thread; it is used by one at a time.
unsafe impl Send for Session {}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: we own it.
        unsafe { ffi::wolfSSL_free(self.raw) };
    }
}

/// What the library's calls back reach, for the time of one call into it.
pub struct Wire<'a> {
    incoming: &'a mut Pipe,
    outgoing: &'a mut Pipe,
    /// Where a server keeps its sessions.
    pub store: Option<&'a SessionStore>,
}

impl Session {
    /// An end that reads and writes the pipes of each call.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn new(context: &Arc<Context>, role: Role) -> Result<Self, DriverError> {
        // SAFETY: the context is alive.
        let raw = unsafe { ffi::wolfSSL_new(context.as_ptr()) };
        if raw.is_null() {
            return Err(DriverError("wolfSSL_new: no connection".to_owned()));
        }
        Ok(Self { raw, role, handshaking: true, context: Arc::clone(context) })
    }

    /// Makes a client verify that the server has this name.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn expect(&mut self, name: &CStr) -> Result<(), DriverError> {
        // SAFETY: the session is alive, and copies the name.
        let set = unsafe { ffi::wolfSSL_check_domain_name(self.raw, name.as_ptr()) };
        check("wolfSSL_check_domain_name", set)
    }

    /// The library's pointer, valid for as long as `self`.
    pub const fn as_ptr(&self) -> *mut ffi::WOLFSSL {
        self.raw
    }

    /// Lets the library use the pipes for one call.
    #[inline]
    fn with<T>(
        &self,
        incoming: &mut Pipe,
        outgoing: &mut Pipe,
        call: impl FnOnce(*mut ffi::WOLFSSL) -> T,
    ) -> T {
        let mut wire = Wire { incoming, outgoing, store: self.context.store() };
        let place: *mut c_void = ptr::from_mut(&mut wire).cast();
        // SAFETY: the session is alive, and the wire stays in place through the call.
        unsafe {
            ffi::wolfSSL_SetIOReadCtx(self.raw, place);
            ffi::wolfSSL_SetIOWriteCtx(self.raw, place);
        }
        call(self.raw)
    }

    /// Whether a call that did not succeed only wants more to arrive.
    #[inline]
    fn wants_more(&self, what: &str, result: c_int) -> Result<(), DriverError> {
        // SAFETY: the session is alive.
        match unsafe { ffi::wolfSSL_get_error(self.raw, result) } {
            WANT_READ => Ok(()),
            code => Err(failure(what, code)),
        }
    }
}

impl Connection for Session {
    #[inline]
    fn step(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError> {
        if self.handshaking {
            // SAFETY: the session is alive.
            let result = self.with(incoming, outgoing, |raw| unsafe {
                match self.role {
                    Role::Client => ffi::wolfSSL_connect(raw),
                    Role::Server => ffi::wolfSSL_accept(raw),
                }
            });
            if result != SUCCESS {
                return self.wants_more("handshake", result);
            }
            self.handshaking = false;
        }
        if !incoming.is_empty() {
            // Reads tickets. There is no application data, so that it always wants more.
            let mut byte = 0_u8;
            // SAFETY: as above; the buffer has one byte.
            let got = self.with(incoming, outgoing, |raw| unsafe {
                ffi::wolfSSL_read(raw, (&raw mut byte).cast(), 1)
            });
            if got > 0 {
                return Err(DriverError("data after the handshake".to_owned()));
            }
            self.wants_more("reading after the handshake", got)?;
        }
        Ok(())
    }

    #[inline]
    fn is_handshaking(&self) -> bool {
        self.handshaking
    }

    #[inline]
    fn send(&mut self, mut data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError> {
        self.with(&mut Pipe::default(), outgoing, |raw| {
            while !data.is_empty() {
                let length = c_int::try_from(data.len()).unwrap_or(c_int::MAX);
                // SAFETY: the session is alive, the data is as long as we say.
                let sent = unsafe { ffi::wolfSSL_write(raw, data.as_ptr().cast(), length) };
                if sent <= 0 {
                    // SAFETY: as above.
                    return Err(failure("wolfSSL_write", unsafe {
                        ffi::wolfSSL_get_error(raw, sent)
                    }));
                }
                data = &data[sent as usize..];
            }
            Ok(())
        })
    }

    #[inline]
    fn receive(&mut self, incoming: &mut Pipe, into: &mut [u8]) -> Result<usize, DriverError> {
        self.with(incoming, &mut Pipe::default(), |raw| {
            let mut have = 0;
            while have < into.len() {
                let rest = &mut into[have..];
                let length = c_int::try_from(rest.len()).unwrap_or(c_int::MAX);
                // SAFETY: the session is alive, the buffer is as long as we say.
                let got = unsafe { ffi::wolfSSL_read(raw, rest.as_mut_ptr().cast(), length) };
                if got <= 0 {
                    self.wants_more("wolfSSL_read", got)?;
                    break;
                }
                have += got as usize;
            }
            Ok(have)
        })
    }

    fn connection_info(&self) -> Result<ConnectionInfo, DriverError> {
        facts::of(self.raw)
    }
}

/// The wire of the current call.
///
/// # Safety
/// Only inside of a call that [`Session::with`] makes.
pub unsafe fn wire<'a>(of: *mut ffi::WOLFSSL) -> &'a mut Wire<'a> {
    // SAFETY: the caller's promise.
    unsafe { &mut *ffi::wolfSSL_GetIOReadCtx(of).cast::<Wire<'a>>() }
}

/// What the library reads with.
///
/// # Safety
/// Only the library calls it, inside of a call that [`Session::with`] makes.
pub unsafe extern "C" fn receive(
    _: *mut ffi::WOLFSSL,
    into: *mut c_char,
    length: c_int,
    wire: *mut c_void,
) -> c_int {
    // SAFETY: the caller's promise; the buffer has this length.
    unsafe {
        let wire = &mut *wire.cast::<Wire<'_>>();
        if wire.incoming.is_empty() {
            return ffi::WOLFSSL_CBIO_ERR_WANT_READ;
        }
        let into = slice::from_raw_parts_mut(into.cast(), usize::try_from(length).unwrap_or(0));
        wire.incoming.take_into(into) as c_int
    }
}

/// What the library writes with.
///
/// # Safety
/// As for [`receive`].
pub unsafe extern "C" fn send(
    _: *mut ffi::WOLFSSL,
    bytes: *mut c_char,
    length: c_int,
    wire: *mut c_void,
) -> c_int {
    // SAFETY: the caller's promise; there are so many bytes.
    unsafe {
        let bytes = slice::from_raw_parts(bytes.cast(), usize::try_from(length).unwrap_or(0));
        (*wire.cast::<Wire<'_>>()).outgoing.put(bytes);
    }
    length
}

const SUCCESS: c_int = ffi::WOLFSSL_SUCCESS;
const WANT_READ: c_int = ffi::WOLFSSL_ERROR_WANT_READ;
