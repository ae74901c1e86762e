//! The server's sessions, kept outside of the library: its own cache has a fixed size.

use crate::{ffi, session};
use std::{
    ffi::{c_int, c_uchar},
    ptr, slice,
};

/// Length of a session id.
const ID: usize = 32;

/// Makes servers of a context keep their sessions in the store of the context.
pub fn serve(context: *mut ffi::WOLFSSL_CTX) {
    // SAFETY: the context is alive; the functions live for ever.
    unsafe {
        ffi::wolfSSL_CTX_sess_set_new_cb(context, Some(keep));
        ffi::wolfSSL_CTX_sess_set_get_cb(context, Some(find));
    }
}

/// Writes the session down; the library keeps it.
unsafe extern "C" fn keep(of: *mut ffi::WOLFSSL, kept: *mut ffi::WOLFSSL_SESSION) -> c_int {
    // SAFETY: the library calls this inside of our call, with a session that has an id. Without a place
    // to write to it tells the length, and writes nothing.
    unsafe {
        let length = ffi::wolfSSL_i2d_SSL_SESSION(kept, ptr::null_mut());
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        let mut place = bytes.as_mut_ptr();
        if ffi::wolfSSL_i2d_SSL_SESSION(kept, &mut place) > 0
            && let Some(store) = session::wire(of).store
        {
            store.put(slice::from_raw_parts(ffi::wolfSSL_get_sessionID(kept), ID), &bytes);
        }
    }
    0
}

/// Reads the session of an id. The library frees it.
unsafe extern "C" fn find(
    of: *mut ffi::WOLFSSL,
    id: *const c_uchar,
    length: c_int,
    keeps: *mut c_int,
) -> *mut ffi::WOLFSSL_SESSION {
    // SAFETY: the library calls this inside of our call, with an id of this length.
    unsafe {
        *keeps = 0;
        let id = slice::from_raw_parts(id, usize::try_from(length).unwrap_or(0));
        let read = |bytes: &[u8]| {
            let mut place = bytes.as_ptr();
            ffi::wolfSSL_d2i_SSL_SESSION(ptr::null_mut(), &mut place, bytes.len() as _)
        };
        let found = session::wire(of).store.and_then(|store| store.get(id, read));
        found.unwrap_or(ptr::null_mut())
    }
}
