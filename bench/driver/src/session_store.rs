//! A server's session cache, for libraries that leave it to the application.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Sessions by their id. When it is full, a new session takes the place of the oldest.
#[derive(Debug)]
pub struct SessionStore {
    capacity: usize,
    sessions: Mutex<Sessions>,
}

#[derive(Debug, Default)]
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

    /// Keeps a session.
    pub fn put(&self, id: &[u8], session: &[u8]) {
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

    /// Passes a session to `read`, which copies it to where the library wants it. `None` if the store
    /// does not have it.
    pub fn get<T>(&self, id: &[u8], read: impl FnOnce(&[u8]) -> T) -> Option<T> {
        self.lock().by_id.get(id).map(|session| read(session))
    }

    /// Forgets a session.
    pub fn remove(&self, id: &[u8]) {
        let mut sessions = self.lock();
        sessions.by_id.remove(id);
        sessions.order.retain(|one| one != id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(store: &SessionStore, id: &[u8]) -> Option<Vec<u8>> {
        store.get(id, <[u8]>::to_vec)
    }

    #[test]
    fn the_oldest_session_gives_way() {
        let store = SessionStore::new(2);
        store.put(b"a", b"1");
        store.put(b"b", b"2");
        store.put(b"a", b"3");
        assert_eq!(get(&store, b"a"), Some(b"3".to_vec()));
        store.put(b"c", b"4");
        assert_eq!(get(&store, b"a"), None);
        assert_eq!(get(&store, b"b"), Some(b"2".to_vec()));
        // One that was removed makes room, and is not pushed out a second time.
        store.remove(b"b");
        store.put(b"d", b"5");
        assert_eq!((get(&store, b"b"), get(&store, b"c").is_some()), (None, true));
    }
}
