//! A BIO that reads from one pipe and writes to another, without a copy of its own.

use crate::ffi::{
    BIO, BIO_CTRL_FLUSH, BIO_FLAGS_READ, BIO_FLAGS_RWS, BIO_FLAGS_SHOULD_RETRY, BIO_METHOD,
    BIO_TYPE_SOURCE_SINK, BIO_clear_flags, BIO_get_data, BIO_meth_new, BIO_meth_set_ctrl,
    BIO_meth_set_read, BIO_meth_set_write, BIO_new, BIO_set_data, BIO_set_flags, BIO_set_init,
};
use shakedown_driver::{DriverError, Pipe};
use std::{
    ffi::{c_char, c_int, c_long, c_void},
    ptr, slice,
    sync::OnceLock,
};

/// Both directions, for the time of one call into the library.
pub struct PipeIo<'a> {
    /// What this end reads.
    pub incoming: &'a mut Pipe,
    /// What this end writes.
    pub outgoing: &'a mut Pipe,
}

/// With an index that nobody else uses here.
const TYPE: c_int = BIO_TYPE_SOURCE_SINK | 0x80;
/// What `BIO_clear_retry_flags` clears.
const RETRY: c_int = BIO_FLAGS_RWS | BIO_FLAGS_SHOULD_RETRY;

struct Method(*mut BIO_METHOD);

// SAFETY: the method is made once and never changed.
unsafe impl Send for Method {}
// SAFETY: as above.
unsafe impl Sync for Method {}

/// Makes a BIO. It has no pipes until [`plug`].
///
/// # Errors
/// If the library has no memory left.
pub fn new() -> Result<*mut BIO, DriverError> {
    static METHOD: OnceLock<Method> = OnceLock::new();
    let method = METHOD.get_or_init(|| {
        // SAFETY: a new method, filled in before anyone uses it, and never freed.
        unsafe {
            let method = BIO_meth_new(TYPE, c"pipes".as_ptr());
            BIO_meth_set_read(method, Some(read));
            BIO_meth_set_write(method, Some(write));
            BIO_meth_set_ctrl(method, Some(control));
            Method(method)
        }
    });
    // SAFETY: the method is complete.
    unsafe {
        let bio = BIO_new(method.0);
        if bio.is_null() {
            return Err(crate::error::failure("BIO_new"));
        }
        BIO_set_init(bio, 1);
        Ok(bio)
    }
}

/// Lets `bio` use `wire` until the next call. The caller keeps `wire` in place for as long as
/// the library may use the BIO: the time of one call.
pub fn plug(bio: *mut BIO, wire: &mut PipeIo<'_>) {
    // SAFETY: the BIO is one of ours and alive.
    unsafe { BIO_set_data(bio, ptr::from_mut(wire).cast::<c_void>()) };
}

/// The wire of the current call.
///
/// # Safety
/// Only inside of a call that was made after [`plug`].
unsafe fn wire<'a>(bio: *mut BIO) -> &'a mut PipeIo<'a> {
    // SAFETY: the caller's promise.
    unsafe { &mut *BIO_get_data(bio).cast::<PipeIo<'a>>() }
}

unsafe extern "C" fn read(bio: *mut BIO, into: *mut c_char, length: c_int) -> c_int {
    // SAFETY: OpenSSL calls this inside of our call, with a buffer of `length` bytes.
    unsafe {
        BIO_clear_flags(bio, RETRY);
        let into = slice::from_raw_parts_mut(into.cast::<u8>(), length as usize);
        let count = wire(bio).incoming.take_into(into);
        if count == 0 {
            BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY);
            return -1;
        }
        count as c_int
    }
}

unsafe extern "C" fn write(bio: *mut BIO, bytes: *const c_char, length: c_int) -> c_int {
    // SAFETY: OpenSSL calls this inside of our call, with `length` bytes.
    unsafe {
        BIO_clear_flags(bio, RETRY);
        wire(bio).outgoing.put(slice::from_raw_parts(bytes.cast::<u8>(), length as usize));
    }
    length
}

unsafe extern "C" fn control(_: *mut BIO, command: c_int, _: c_long, _: *mut c_void) -> c_long {
    c_long::from(command == BIO_CTRL_FLUSH)
}
