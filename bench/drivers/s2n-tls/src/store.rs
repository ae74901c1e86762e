//! The server's session cache: s2n-tls leaves it to the application.

use s2n_tls_sys as s2n;
use std::{
    collections::{HashMap, VecDeque},
    ffi::{c_int, c_void},
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
}

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
    let (store, id, session) =
        unsafe { (sessions(of), bytes(key, key_size), bytes(value, value_size)) };
    let mut sessions = store.lock();
    if sessions.by_id.insert(id.to_vec(), session.to_vec()).is_none() {
        sessions.order.push_back(id.to_vec());
    }
    if sessions.by_id.len() > store.capacity
        && let Some(oldest) = sessions.order.pop_front()
    {
        sessions.by_id.remove(&oldest);
    }
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
        let store = sessions(of).lock();
        match store.by_id.get(bytes(key, key_size)) {
            Some(found) if found.len() as u64 <= *value_size => {
                ptr::copy_nonoverlapping(found.as_ptr(), value.cast(), found.len());
                *value_size = found.len() as u64;
            }
            _ => *value_size = 0,
        }
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
    let (mut store, id) = unsafe { (sessions(of).lock(), bytes(key, key_size)) };
    store.by_id.remove(id);
    store.order.retain(|one| one != id);
    0
}
