//! The server's session cache: GnuTLS leaves it to the application.

use crate::ffi;
use std::{
    collections::{HashMap, VecDeque},
    ffi::{c_int, c_uchar, c_void},
    ptr, slice,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Sessions by their id, the oldest of which gives way to a new one.
pub struct SessionStore {
    capacity: usize,
    sessions: Mutex<Sessions>,
}

#[derive(Default)]
struct Sessions {
    by_id: HashMap<Vec<u8>, Vec<u8>>,
    /// Ids, the oldest first.
    order: VecDeque<Vec<u8>>,
}

impl SessionStore {
    /// An empty store.
    pub fn new(capacity: usize) -> Self {
        Self { capacity, sessions: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Sessions> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, id: &[u8], session: &[u8]) {
        let mut sessions = self.lock();
        if sessions.by_id.insert(id.to_vec(), session.to_vec()).is_none() {
            sessions.order.push_back(id.to_vec());
        }
        if sessions.by_id.len() > self.capacity
            && let Some(oldest) = sessions.order.pop_front()
        {
            sessions.by_id.remove(&oldest);
        }
    }

    /// Tells a server to keep its sessions here.
    pub fn serve(&self, session: ffi::gnutls_session_t) {
        // SAFETY: the session is alive; the store outlives it, as its worker holds both.
        unsafe {
            ffi::gnutls_db_set_ptr(session, ptr::from_ref(self).cast_mut().cast());
            ffi::gnutls_db_set_store_function(session, Some(store));
            ffi::gnutls_db_set_retrieve_function(session, Some(retrieve));
            ffi::gnutls_db_set_remove_function(session, Some(remove));
        }
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
    let nothing = ffi::gnutls_datum_t { data: ptr::null_mut(), size: 0 };
    // SAFETY: as above; the library frees the copy, which its own allocator made.
    unsafe {
        let sessions = (*of.cast::<SessionStore>()).lock();
        let Some(found) = sessions.by_id.get(bytes(id)) else { return nothing };
        let Some(allocate) = ffi::gnutls_malloc else { return nothing };
        let copy = allocate(found.len()).cast::<c_uchar>();
        if copy.is_null() {
            return nothing;
        }
        ptr::copy_nonoverlapping(found.as_ptr(), copy, found.len());
        ffi::gnutls_datum_t { data: copy, size: found.len() as u32 }
    }
}

unsafe extern "C" fn remove(of: *mut c_void, id: ffi::gnutls_datum_t) -> c_int {
    // SAFETY: as above.
    unsafe {
        let mut sessions = (*of.cast::<SessionStore>()).lock();
        sessions.by_id.remove(bytes(id));
        sessions.order.retain(|one| one != bytes(id));
    }
    0
}
