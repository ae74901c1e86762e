//! Reads the counters of the heap meter, a library that is preloaded into the driver and
//! stands between it and malloc. Timed trials run without it.

use crate::{
    preloaded::{self, Reader},
    step_meter::{Endpoint, StepMeter},
};
use shakedown_protocol::{Counts, DriverRefusal};

/// What the heap meter keeps; the layout is shared with the package `heap-meter`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct HeapCounters {
    /// Calls that allocate or grow.
    allocations: u64,
    /// Bytes asked for.
    bytes: u64,
    /// Bytes alive now.
    live: u64,
    /// Most bytes alive since the last reading.
    peak: u64,
}

/// The meter's function: fills in the reading and lets the peak begin anew.
pub type HeapReader = Reader<HeapCounters>;

/// Finds the heap meter in this process.
///
/// # Errors
/// [`DriverRefusal::Unsupported`] if it was not preloaded.
pub fn source() -> Result<HeapReader, DriverRefusal> {
    // SAFETY: only the heap meter exports this name, with this signature.
    unsafe { preloaded::reader("heap meter", c"shakedown_heap_read") }
}

/// Whether the meter has seen no allocation since the process began: then another allocator
/// serves this program, because loading certificates alone allocates.
pub fn sees_nothing(source: HeapReader) -> bool {
    preloaded::read(source).allocations == 0
}

/// Attributes allocations to ends.
#[derive(Debug)]
pub struct HeapMeter {
    source: HeapReader,
    last: HeapCounters,
    current: Endpoint,
    ends: [Heap; 2],
}

/// One end's heap.
#[derive(Debug, Clone, Copy, Default)]
struct Heap {
    allocations: u64,
    bytes: u64,
    /// Growth in the current operation; negative when it freed what was there before.
    grown: i64,
    /// Highest growth in any operation.
    peak: i64,
}

impl HeapMeter {
    /// A meter that has counted nothing.
    pub fn new(source: HeapReader) -> Self {
        let ends = [Heap::default(); 2];
        Self { source, last: HeapCounters::default(), current: Endpoint::Client, ends }
    }

    /// Growth is counted from here.
    pub fn next_operation(&mut self) {
        self.ends.iter_mut().for_each(|end| end.grown = 0);
    }

    fn attribute(&mut self) {
        let now = preloaded::read(self.source);
        let end = &mut self.ends[self.current as usize];
        end.allocations += now.allocations - self.last.allocations;
        end.bytes += now.bytes - self.last.bytes;
        let above = now.peak as i64 - self.last.live as i64;
        end.peak = end.peak.max(end.grown + above);
        end.grown += now.live as i64 - self.last.live as i64;
        self.last = now;
    }

    /// Both ends' counts over `operations`.
    pub fn counts(&self, operations: u64) -> [Counts; 2] {
        self.ends.map(|end| Counts {
            operations,
            allocations: Some(end.allocations),
            allocated_bytes: Some(end.bytes),
            peak_heap: Some(end.peak.max(0) as u64),
            ..Counts::default()
        })
    }
}

impl StepMeter for HeapMeter {
    fn start(&mut self, end: Endpoint) {
        self.current = end;
        self.last = preloaded::read(self.source);
    }

    fn switch(&mut self, to: Endpoint) {
        self.attribute();
        self.current = to;
    }

    fn stop(&mut self) {
        self.attribute();
    }
}
