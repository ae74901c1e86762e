//! Reads the counters of the lock meter, a library that is preloaded into the driver and stands
//! between it and the C library's locks. Timed trials run without it.

use crate::{
    preloaded::{self, Reader},
    step_meter::{Endpoint, StepMeter},
};
use shakedown_protocol::{Counts, DriverRefusal};

/// What the lock meter keeps of a thread; the layout is shared with the package `lock-meter`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct LockCounters {
    /// Locks taken by a function of the C library.
    operations: u64,
    /// Times that a lock was taken, and the thread waited.
    waits: u64,
}

/// Attributes the locks of one thread to endpoints.
#[derive(Debug)]
pub struct LockMeter {
    source: Reader<LockCounters>,
    last: LockCounters,
    current: Endpoint,
    ends: [LockCounters; 2],
}

impl LockMeter {
    /// A meter that has counted nothing.
    ///
    /// # Errors
    /// [`DriverRefusal::Unsupported`] if the lock meter was not preloaded.
    pub fn new() -> Result<Self, DriverRefusal> {
        // SAFETY: only the lock meter exports this name, with this signature.
        let source = unsafe { preloaded::reader("lock meter", c"shakedown_locks_read")? };
        let ends = [LockCounters::default(); 2];
        Ok(Self { source, last: LockCounters::default(), current: Endpoint::Client, ends })
    }

    /// Both ends' counts over `operations`.
    pub fn counts(&self, operations: u64) -> [Counts; 2] {
        self.ends.map(|end| Counts {
            operations,
            lock_operations: Some(end.operations),
            lock_waits: Some(end.waits),
            ..Counts::default()
        })
    }
}

impl StepMeter for LockMeter {
    fn start(&mut self, end: Endpoint) {
        self.current = end;
        self.last = preloaded::read(self.source);
    }

    fn switch(&mut self, to: Endpoint) {
        self.stop();
        self.current = to;
    }

    fn stop(&mut self) {
        let now = preloaded::read(self.source);
        let end = &mut self.ends[self.current as usize];
        end.operations += now.operations - self.last.operations;
        end.waits += now.waits - self.last.waits;
        self.last = now;
    }
}
