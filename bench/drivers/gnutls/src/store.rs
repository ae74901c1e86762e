//! The server's session cache: GnuTLS leaves it to the application.

use crate::ffi;
use shakedown_driver::SessionStore;
use std::{
    ffi::{c_int, c_uchar, c_void},
    ptr, slice,
};

/// Tells a server to keep its sessions in `sessions`, which outlives it.
pub fn serve(sessions: &SessionStore, session: ffi::gnutls_session_t) {
    // SAFETY: the session is alive; the store outlives it, as its worker holds both.
    unsafe {
        ffi::gnutls_db_set_ptr(session, ptr::from_ref(sessions).cast_mut().cast());
        ffi::gnutls_db_set_store_function(session, Some(store));
        ffi::gnutls_db_set_retrieve_function(session, Some(retrieve));
        ffi::gnutls_db_set_remove_function(session, Some(remove));
    }
}

/// What GnuTLS points at.
///
/// # Safety
/// Only inside of a call, on data that the library passed.
unsafe fn bytes<'a>(datum: ffi::gnutls_datum_t) -> &'a [u8] {
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(datum.data, datum.size as usize) }
}

unsafe extern "C" fn store(
    of: *mut c_void,
    id: ffi::gnutls_datum_t,
    session: ffi::gnutls_datum_t,
) -> c_int {
    // SAFETY: the pointer is that of `serve`, the data is the library's.
    unsafe { (*of.cast::<SessionStore>()).put(bytes(id), bytes(session)) };
    0
}

unsafe extern "C" fn retrieve(of: *mut c_void, id: ffi::gnutls_datum_t) -> ffi::gnutls_datum_t {
    // SAFETY: as above.
    let found = unsafe { (*of.cast::<SessionStore>()).get(bytes(id), copy).flatten() };
    found.unwrap_or(ffi::gnutls_datum_t { data: ptr::null_mut(), size: 0 })
}

/// A copy that the library frees: its own allocator makes it.
fn copy(session: &[u8]) -> Option<ffi::gnutls_datum_t> {
    // SAFETY: the allocator takes any size, and the copy is as long as the session.
    unsafe {
        let copy = ffi::gnutls_malloc?(session.len()).cast::<c_uchar>();
        if copy.is_null() {
            return None;
        }
        ptr::copy_nonoverlapping(session.as_ptr(), copy, session.len());
        Some(ffi::gnutls_datum_t { data: copy, size: session.len() as u32 })
    }
}

unsafe extern "C" fn remove(of: *mut c_void, id: ffi::gnutls_datum_t) -> c_int {
    // SAFETY: as above.
    unsafe { (*of.cast::<SessionStore>()).remove(bytes(id)) };
    0
}
