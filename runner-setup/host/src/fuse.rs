//! Stops a test's program at a chosen step, as `kill -9` would.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

/// Counts steps down; clones share the count.
#[derive(Debug, Clone)]
pub(crate) struct Fuse(Arc<AtomicI64>);

impl Default for Fuse {
    fn default() -> Self {
        Self::of(i64::MAX)
    }
}

impl Fuse {
    /// Lets so many steps pass.
    pub fn of(steps: i64) -> Self {
        Self(Arc::new(AtomicI64::new(steps)))
    }

    /// Takes a step, or dies. Nothing may change once it has died.
    pub fn burn(&self) -> io::Result<()> {
        if self.0.fetch_sub(1, Ordering::SeqCst) > 0 {
            return Ok(());
        }
        Err(io::Error::other("killed"))
    }

    /// Whether the end was reached: every step after it fails too.
    pub fn is_dead(&self) -> bool {
        self.0.load(Ordering::SeqCst) < 0
    }
}
