//! Counting meters: heap and instructions, each end apart, over a fixed number of operations.

use crate::{
    gauge::{End, Gauge},
    heap::{self, HeapGauge},
    instructions::{self, Callgrind, HardwareCounter},
    lane::Lane,
};
use shakedown_protocol::{Counts, Refusal};

/// Operations before anything is counted, so that what a library sets up once, and the
/// growth of reused buffers, are not in the counts.
const SETTLE: u32 = 3;

fn settle<'a>(lane: &mut impl Lane<'a>, gauge: &mut impl Gauge) -> Result<(), Refusal> {
    for _ in 0..SETTLE {
        lane.once(gauge)?;
    }
    Ok(())
}

/// Counts heap allocations of both ends, the client's first.
///
/// # Errors
/// Those of the lane, or [`Refusal::Unsupported`] where nothing counts allocations.
pub fn heap<'a>(lane: &mut impl Lane<'a>, operations: u32) -> Result<[Counts; 2], Refusal> {
    let source = heap::source()?;
    if heap::sees_nothing(source) {
        let text = "the allocator of this build is not glibc's: its allocations can't be counted";
        return Err(Refusal::Unsupported(text.to_owned()));
    }
    settle(lane, &mut HeapGauge::new(source))?;
    let mut gauge = HeapGauge::new(source);
    for _ in 0..operations {
        gauge.next_operation();
        lane.once(&mut gauge)?;
    }
    Ok(gauge.counts(operations.into()))
}

/// Counts instructions of both ends, the client's first: by the processor's counter where
/// there is one, or else by callgrind, if the process runs under it.
///
/// Under callgrind the counts stand in its dumps, one an end, marked with the names in
/// [`instructions::MARKS`]; whoever started it reads them there, and the counts returned
/// here have no `instructions`.
///
/// # Errors
/// Those of the lane, or [`Refusal::Unsupported`] where nothing counts instructions.
pub fn instructions<'a>(lane: &mut impl Lane<'a>, operations: u32) -> Result<[Counts; 2], Refusal> {
    let counts = Counts { operations: operations.into(), ..Counts::default() };
    if instructions::under_valgrind() {
        for end in [End::Client, End::Server] {
            settle(lane, &mut Callgrind::silent(end))?;
            let mut gauge = Callgrind::of(end);
            for _ in 0..operations {
                lane.once(&mut gauge)?;
            }
            gauge.dump();
        }
        return Ok([counts; 2]);
    }
    let mut gauge = HardwareCounter::open()?;
    settle(lane, &mut gauge)?;
    gauge.reset();
    for _ in 0..operations {
        lane.once(&mut gauge)?;
    }
    Ok(gauge.counted().map(|instructions| Counts { instructions: Some(instructions), ..counts }))
}
