//! Warm-up, batches sized by time, and what they yield: the same for all timed scenarios.

use crate::{clock::now, latency::Recorder, step_meter::StepTimer, workload::Workload};
use shakedown_protocol::{Refusal, Request, Sample};

/// What operations cost: nanoseconds of both ends, the client's first, and application
/// bytes that crossed.
#[derive(Debug, Clone, Copy, Default)]
struct Cost {
    spent: [u64; 2],
    bytes: u64,
}

/// One timed operation.
#[inline]
fn timed<'a>(workload: &mut impl Workload<'a>) -> Result<Cost, Refusal> {
    let mut timer = StepTimer::default();
    let bytes = workload.run_operation(&mut timer)?;
    Ok(Cost { spent: timer.spent(), bytes })
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub enum Until {
    /// After so many nanoseconds of the ends' own time.
    Spent(u64),
    /// At this reading of the clock: threads must stop together, so that none of them runs
    /// alone at the end.
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

/// Samples and latencies of one thread, the client's end first.
#[derive(Debug)]
pub struct ThreadSamples {
    /// Timed batches of each end.
    pub samples: [Vec<Sample>; 2],
    /// Operation times of each end.
    pub latency: [Recorder; 2],
    thread: u64,
}

const MILLISECOND: u64 = 1_000_000;

impl ThreadSamples {
    /// Room for all that `request` can yield, so that nothing allocates while it runs.
    pub fn new(request: &Request, thread: u64) -> Self {
        let batches = request.measure_ms / request.batch_ms.max(1) * 2 + 64;
        let room = || Vec::with_capacity(batches as usize);
        Self { samples: [room(), room()], latency: [Recorder::new(), Recorder::new()], thread }
    }

    /// Runs operations until `until`, in batches.
    ///
    /// # Errors
    /// Those of the operation.
    pub fn run<'a>(
        &mut self,
        workload: &mut impl Workload<'a>,
        until: Until,
        batch_size: BatchSize,
    ) -> Result<(), Refusal> {
        let mut total = 0;
        while !until.reached(total) {
            let mut batch = Cost::default();
            for _ in 0..batch_size.operations {
                let cost = timed(workload)?;
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
                    // A clock can't tell less than this apart, and an empty batch is an error.
                    nanoseconds: batch.spent[end].max(1),
                    bytes: batch.bytes,
                    thread: self.thread,
                });
            }
        }
        Ok(())
    }
}

/// How many operations make a batch.
#[derive(Debug, Clone, Copy)]
pub struct BatchSize {
    operations: u64,
}

impl BatchSize {
    /// Warms up for the request's time and finds how many operations fill a batch.
    ///
    /// # Errors
    /// Those of the operation.
    pub fn estimate<'a>(
        request: &Request,
        workload: &mut impl Workload<'a>,
    ) -> Result<Self, Refusal> {
        let limit = u64::from(request.warm_up_ms) * MILLISECOND;
        // The first operation is many times slower than those that follow: a batch sized by
        // it would be too short.
        let first = timed(workload)?.spent.iter().sum::<u64>();
        let (mut spent, mut operations) = (0, 0);
        while first + spent < limit || operations == 0 {
            spent += timed(workload)?.spent.iter().sum::<u64>();
            operations += 1;
        }
        let batch = u64::from(request.batch_ms) * MILLISECOND;
        let each = (spent / operations).max(1);
        Ok(Self { operations: (batch / each).max(1) })
    }
}
