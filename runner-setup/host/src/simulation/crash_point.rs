//! Stops a program at a chosen change, as `kill -9` would.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

/// Counts changes down; clones share the count.
#[derive(Debug, Clone)]
pub struct CrashPoint(Arc<AtomicI64>);

impl Default for CrashPoint {
    fn default() -> Self {
        Self(Arc::new(AtomicI64::new(i64::MAX)))
    }
}

impl CrashPoint {
    /// Lets this many more changes happen.
    pub fn after(&self, changes: i64) {
        self.0.store(changes, Ordering::SeqCst);
    }

    /// Lets all changes happen again.
    pub fn disarm(&self) {
        self.after(i64::MAX);
    }

    /// Whether it was reached. Every change after it fails too.
    pub fn is_reached(&self) -> bool {
        self.0.load(Ordering::SeqCst) < 0
    }

    /// Counts a change.
    pub(super) fn count(&self) -> io::Result<()> {
        if self.0.fetch_sub(1, Ordering::SeqCst) > 0 {
            return Ok(());
        }
        Err(io::Error::other("killed"))
    }
}
