//! Warm-up and timed batches, shared by all timed scenarios.

use crate::{clock::now, latency::Recorder, step_meter::StepTimer, workload::Operation};
use shakedown_protocol::{DriverRefusal, DriverRequest, Sample};

/// Nanoseconds spent by client and server, and application bytes transferred.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    spent: [u64; 2],
    bytes: u64,
}

/// One timed operation.
#[inline]
fn timed(operation: &mut impl Operation) -> Result<Cost, DriverRefusal> {
    let mut timer = StepTimer::default();
    let bytes = operation.run_operation(&mut timer)?;
    Ok(Cost { spent: timer.spent(), bytes })
}

/// When a thread stops measuring.
#[derive(Debug, Clone, Copy)]
pub enum Until {
    /// After this many nanoseconds of the endpoints' own time.
    Spent(u64),
    /// At this clock reading. Threads stop together, so that none runs alone at the end.
    Clock(u64),
}

impl Until {
    fn reached(self, spent: u64) -> bool {
        match self {
            Self::Spent(limit) => spent >= limit,
            Self::Clock(time) => now() >= time,
        }
    }
}

/// Samples and latencies of one thread, client first.
#[derive(Debug)]
pub struct ThreadSamples {
    /// Timed batches of each endpoint.
    pub samples: [Vec<Sample>; 2],
    /// Operation times of each endpoint.
    pub latency: [Recorder; 2],
    thread: u64,
}

const MILLISECOND: u64 = 1_000_000;

impl ThreadSamples {
    /// Preallocates for everything that `request` can produce, so that measuring does not allocate.
    pub fn new(request: &DriverRequest, thread: u64) -> Self {
        let batches = request.measure_ms / request.batch_ms.max(1) * 2 + 64;
        let room = || Vec::with_capacity(batches as usize);
        Self { samples: [room(), room()], latency: [Recorder::new(), Recorder::new()], thread }
    }

    /// Runs batches of operations until `until`.
    ///
    /// # Errors
    /// Fails if an operation fails.
    pub fn run(
        &mut self,
        operation: &mut impl Operation,
        until: Until,
        batch_size: BatchSize,
    ) -> Result<(), DriverRefusal> {
        let mut total = 0;
        while !until.reached(total) {
            let mut batch = Cost::default();
            for _ in 0..batch_size.operations {
                let cost = timed(operation)?;
                for end in 0..2 {
                    batch.spent[end] += cost.spent[end];
                    self.latency[end].record(cost.spent[end]);
                }
                batch.bytes += cost.bytes;
            }
            total += batch.spent[0] + batch.spent[1];
            for end in 0..2 {
                self.samples[end].push(Sample {
                    operations: batch_size.operations,
                    // The clock's resolution; a sample of 0 ns would be invalid.
                    nanoseconds: batch.spent[end].max(1),
                    bytes: batch.bytes,
                    thread: self.thread,
                });
            }
        }
        Ok(())
    }
}

/// Number of operations in a batch.
#[derive(Debug, Clone, Copy)]
pub struct BatchSize {
    operations: u64,
}

impl BatchSize {
    /// Warms up for `warm_up_ms` and estimates how many operations take `batch_ms`.
    ///
    /// # Errors
    /// Fails if an operation fails.
    pub fn estimate(
        request: &DriverRequest,
        operation: &mut impl Operation,
    ) -> Result<Self, DriverRefusal> {
        let limit = u64::from(request.warm_up_ms) * MILLISECOND;
        // The first operation is many times slower than the rest. Including it would make the
        // batches too small.
        let first = timed(operation)?.spent.iter().sum::<u64>();
        let (mut spent, mut operations) = (0, 0);
        while first + spent < limit || operations == 0 {
            spent += timed(operation)?.spent.iter().sum::<u64>();
            operations += 1;
        }
        let batch = u64::from(request.batch_ms) * MILLISECOND;
        let each = (spent / operations).max(1);
        Ok(Self { operations: (batch / each).max(1) })
    }
}
