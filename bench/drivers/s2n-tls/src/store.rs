//! The server's session cache: s2n-tls leaves it to the application.

use s2n_tls_sys as s2n;
use shakedown_driver::SessionStore;
use std::{
    ffi::{c_int, c_void},
    ptr, slice,
};

/// The store's callbacks for a server's configuration.
pub const CALLBACKS: (
    s2n::s2n_cache_store_callback,
    s2n::s2n_cache_retrieve_callback,
    s2n::s2n_cache_delete_callback,
) = (Some(store), Some(retrieve), Some(delete));

/// # Safety
/// Only in callbacks, with the store that they were set with.
unsafe fn sessions<'a>(of: *mut c_void) -> &'a SessionStore {
    // SAFETY: the caller's promise; the store outlives the configuration.
    unsafe { &*of.cast::<SessionStore>() }
}

/// # Safety
/// Only in callbacks, on what the library passed.
unsafe fn bytes<'a>(data: *const c_void, size: u64) -> &'a [u8] {
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(data.cast(), size as usize) }
}

unsafe extern "C" fn store(
    _: *mut s2n::s2n_connection,
    of: *mut c_void,
    _: u64,
    key: *const c_void,
    key_size: u64,
    value: *const c_void,
    value_size: u64,
) -> c_int {
    // SAFETY: called by the library as it was told to.
    unsafe { sessions(of).put(bytes(key, key_size), bytes(value, value_size)) };
    0
}

unsafe extern "C" fn retrieve(
    _: *mut s2n::s2n_connection,
    of: *mut c_void,
    key: *const c_void,
    key_size: u64,
    value: *mut c_void,
    value_size: *mut u64,
) -> c_int {
    // SAFETY: as above; the library says how much room there is.
    unsafe {
        let copied = sessions(of).get(bytes(key, key_size), |session| {
            let fits = session.len() as u64 <= *value_size;
            fits.then(|| {
                ptr::copy_nonoverlapping(session.as_ptr(), value.cast(), session.len());
                session.len() as u64
            })
        });
        *value_size = copied.flatten().unwrap_or(0);
    }
    0
}

unsafe extern "C" fn delete(
    _: *mut s2n::s2n_connection,
    of: *mut c_void,
    key: *const c_void,
    key_size: u64,
) -> c_int {
    // SAFETY: as above.
    unsafe { sessions(of).remove(bytes(key, key_size)) };
    0
}
