//! Counting meters: heap and instructions, each end apart, over a fixed number of operations.

use crate::{
    heap::{self, HeapMeter},
    instructions::{self, Callgrind, HardwareCounter},
    step_meter::{Endpoint, StepMeter},
    workload::Workload,
};
use shakedown_protocol::{Counts, DriverRefusal};

/// Operations before anything is counted, so that what a library sets up once, and the
/// growth of reused buffers, are not in the counts.
const SETTLE: u32 = 3;

fn settle<'a>(
    workload: &mut impl Workload<'a>,
    meter: &mut impl StepMeter,
) -> Result<(), DriverRefusal> {
    for _ in 0..SETTLE {
        workload.run_operation(meter)?;
    }
    Ok(())
}

/// Counts heap allocations of both ends, the client's first.
///
/// # Errors
/// Those of the workload, or [`DriverRefusal::Unsupported`] where nothing counts allocations.
pub fn heap<'a>(
    workload: &mut impl Workload<'a>,
    operations: u32,
) -> Result<[Counts; 2], DriverRefusal> {
    let source = heap::source()?;
    if heap::sees_nothing(source) {
        let text = "the allocator of this build is not glibc's: its allocations can't be counted";
        return Err(DriverRefusal::Unsupported(text.to_owned()));
    }
    settle(workload, &mut HeapMeter::new(source))?;
    let mut meter = HeapMeter::new(source);
    for _ in 0..operations {
        meter.next_operation();
        workload.run_operation(&mut meter)?;
    }
    Ok(meter.counts(operations.into()))
}

/// Counts instructions of both ends, the client's first: by the processor's counter where
/// there is one, or else by callgrind, if the process runs under it.
///
/// Under callgrind the counts stand in its dumps, one an end, marked with the names in
/// [`instructions::MARKS`]; whoever started it reads them there, and the counts returned
/// here have no `instructions`.
///
/// # Errors
/// Those of the workload, or [`DriverRefusal::Unsupported`] where nothing counts instructions.
pub fn instructions<'a>(
    workload: &mut impl Workload<'a>,
    operations: u32,
) -> Result<[Counts; 2], DriverRefusal> {
    let counts = Counts { operations: operations.into(), ..Counts::default() };
    if instructions::under_valgrind() {
        for end in [Endpoint::Client, Endpoint::Server] {
            settle(workload, &mut Callgrind::silent(end))?;
            let mut meter = Callgrind::of(end);
            for _ in 0..operations {
                workload.run_operation(&mut meter)?;
            }
            meter.dump();
        }
        return Ok([counts; 2]);
    }
    let mut meter = HardwareCounter::open()?;
    settle(workload, &mut meter)?;
    meter.reset();
    for _ in 0..operations {
        workload.run_operation(&mut meter)?;
    }
    Ok(meter.counted().map(|instructions| Counts { instructions: Some(instructions), ..counts }))
}
