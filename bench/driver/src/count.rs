//! Counting meters: heap, instructions and locks, each end apart, over a fixed number of operations; or
//! locks of threads that work together, over a fixed time.

use crate::{
    clock::now,
    heap::{self, HeapMeter},
    instructions::{self, Callgrind, HardwareCounter},
    locks::LockMeter,
    step_meter::{Endpoint, StepMeter},
    workload::Operation,
};
use shakedown_protocol::{Counts, DriverRefusal, DriverRequest, Meter};

/// Operations before anything is counted, so that what a library sets up once, and the
/// growth of reused buffers, are not in the counts.
const SETTLE: u32 = 3;

/// Counts both ends, the client's first, under a counting meter.
///
/// # Errors
/// Those of the operation and of the meter.
pub fn count(
    operation: &mut impl Operation,
    request: &DriverRequest,
) -> Result<[Counts; 2], DriverRefusal> {
    match request.meter {
        Meter::Heap => heap(operation, request.operations),
        Meter::Locks => locks(operation, request.operations),
        _ => instructions(operation, request.operations),
    }
}

fn settle(operation: &mut impl Operation, meter: &mut impl StepMeter) -> Result<(), DriverRefusal> {
    for _ in 0..SETTLE {
        operation.run_operation(meter)?;
    }
    Ok(())
}

/// Counts heap allocations of both ends, the client's first.
///
/// # Errors
/// Those of the operation, or [`DriverRefusal::Unsupported`] where nothing counts allocations.
fn heap(operation: &mut impl Operation, operations: u32) -> Result<[Counts; 2], DriverRefusal> {
    let source = heap::source()?;
    if heap::sees_nothing(source) {
        let text = "the allocator of this build is not glibc's: its allocations can't be counted";
        return Err(DriverRefusal::Unsupported(text.to_owned()));
    }
    settle(operation, &mut HeapMeter::new(source))?;
    let mut meter = HeapMeter::new(source);
    for _ in 0..operations {
        meter.next_operation();
        operation.run_operation(&mut meter)?;
    }
    Ok(meter.counts(operations.into()))
}

/// Counts locks of both ends, the client's first.
fn locks(operation: &mut impl Operation, operations: u32) -> Result<[Counts; 2], DriverRefusal> {
    settle(operation, &mut LockMeter::new()?)?;
    let mut meter = LockMeter::new()?;
    for _ in 0..operations {
        operation.run_operation(&mut meter)?;
    }
    Ok(meter.counts(operations.into()))
}

/// Counts locks of both ends, the client's first, in one of several threads that work until the clock
/// shows `until`.
///
/// # Errors
/// Those of the operation, or [`DriverRefusal::Unsupported`] where nothing counts locks.
pub fn locks_until(
    operation: &mut impl Operation,
    until: u64,
) -> Result<[Counts; 2], DriverRefusal> {
    let mut meter = LockMeter::new()?;
    let mut operations = 0;
    while operations == 0 || now() < until {
        operation.run_operation(&mut meter)?;
        operations += 1;
    }
    Ok(meter.counts(operations))
}

/// Counts instructions of both ends, the client's first: by the processor's counter where
/// there is one, or else by callgrind, if the process runs under it.
///
/// Under callgrind the counts stand in its dumps, one an end, marked with the names in
/// [`instructions::MARKS`]; whoever started it reads them there, and the counts returned
/// here have no `instructions`.
///
/// # Errors
/// Those of the operation, or [`DriverRefusal::Unsupported`] where nothing counts instructions.
fn instructions(
    operation: &mut impl Operation,
    operations: u32,
) -> Result<[Counts; 2], DriverRefusal> {
    let counts = Counts { operations: operations.into(), ..Counts::default() };
    if instructions::under_valgrind() {
        for end in [Endpoint::Client, Endpoint::Server] {
            settle(operation, &mut Callgrind::silent(end))?;
            let mut meter = Callgrind::of(end);
            for _ in 0..operations {
                operation.run_operation(&mut meter)?;
            }
            meter.dump();
        }
        return Ok([counts; 2]);
    }
    let mut meter = HardwareCounter::open()?;
    settle(operation, &mut meter)?;
    meter.reset();
    for _ in 0..operations {
        operation.run_operation(&mut meter)?;
    }
    Ok(meter.counted().map(|instructions| Counts { instructions: Some(instructions), ..counts }))
}
