//! Measures scenarios that are one operation, without a connection. The clock is read around a batch,
//! not around an operation: that may take less time than reading it.

use crate::{
    DriverError, Stack,
    clock::now,
    count::count,
    load::{self, LoadConfig, LoadOperation},
    primitive::{self, PrimitiveConfig, PrimitiveOperation},
    step_meter::{Endpoint, StepMeter},
    workload::Operation,
};
use shakedown_protocol::{
    DriverRefusal, DriverRequest, Load, Measurement, Meter, Primitive, Sample, Side, SideResult,
};

const MILLISECOND: u64 = 1_000_000;

/// Measures `request`, whose scenario is this primitive.
///
/// # Errors
/// The reason why nothing was measured.
pub fn primitive<S: Stack>(
    request: &DriverRequest,
    primitive: Primitive,
) -> Result<Measurement, DriverRefusal> {
    let config = PrimitiveConfig {
        primitive,
        root: request.pki.clone(),
        seed: (request.meter != Meter::Time).then_some(request.seed),
    };
    let mut operation = S::primitive(&config)?;
    primitive::check(&config, operation.as_mut())?;
    let size = primitive.message().map_or(0, |size| size.0);
    let result = result(operation.as_mut(), request, size)?;
    // What was right at the beginning must be right at the end.
    primitive::check(&config, operation.as_mut())?;
    Ok(measured(request, result))
}

/// Measures `request`, whose scenario loads this.
///
/// # Errors
/// The reason why nothing was measured.
pub fn load<S: Stack>(request: &DriverRequest, load: Load) -> Result<Measurement, DriverRefusal> {
    let config = LoadConfig::read(load, &request.pki)?;
    let mut operation = S::load(&config)?;
    load::check(&config, operation.as_mut())?;
    let result = result(operation.as_mut(), request, 0)?;
    load::check(&config, operation.as_mut())?;
    Ok(measured(request, result))
}

fn measured(request: &DriverRequest, result: SideResult) -> Measurement {
    Measurement {
        scenario: request.scenario,
        negotiated: None,
        wire: None,
        checked: 2,
        sides: vec![result],
        memory: None,
    }
}

/// Work without a peer.
trait LocalWork {
    /// Makes what `operations` of them use up. Not timed.
    fn prepare(&mut self, operations: u64) -> Result<(), DriverError>;

    /// Does it so many times.
    fn run(&mut self, operations: u64) -> Result<(), DriverError>;
}

impl LocalWork for dyn PrimitiveOperation {
    fn prepare(&mut self, operations: u64) -> Result<(), DriverError> {
        PrimitiveOperation::prepare(self, operations)
    }

    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        PrimitiveOperation::run(self, operations)
    }
}

impl LocalWork for dyn LoadOperation {
    fn prepare(&mut self, _: u64) -> Result<(), DriverError> {
        Ok(())
    }

    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        LoadOperation::run(self, operations)
    }
}

/// What the meter of the request finds. An operation works on so many bytes.
fn result<W: LocalWork + ?Sized>(
    work: &mut W,
    request: &DriverRequest,
    size: u64,
) -> Result<SideResult, DriverRefusal> {
    let side = Side::Local;
    Ok(match request.meter {
        Meter::Time => {
            let samples = timed(work, request, size)?;
            SideResult { side, samples, latency: None, counts: None }
        }
        Meter::Heap | Meter::Instructions | Meter::Locks => {
            let [counts, _] = count(&mut Single(work), request)?;
            SideResult { side, samples: Vec::new(), latency: None, counts: Some(counts) }
        }
    })
}

/// Warm-up, and batches until the time is spent.
fn timed<W: LocalWork + ?Sized>(
    work: &mut W,
    request: &DriverRequest,
    size: u64,
) -> Result<Vec<Sample>, DriverRefusal> {
    let batch_ns = u64::from(request.batch_ms) * MILLISECOND;
    let operations = warm_up(work, u64::from(request.warm_up_ms) * MILLISECOND, batch_ns)?;
    let budget = u64::from(request.measure_ms) * MILLISECOND;
    let (mut samples, mut spent) = (Vec::new(), 0);
    while spent < budget {
        // The clock's resolution; a sample of 0 ns would be invalid.
        let nanoseconds = batch(work, operations)?.max(1);
        spent += nanoseconds;
        samples.push(Sample { operations, nanoseconds, bytes: operations * size, thread: 0 });
    }
    Ok(samples)
}

/// Runs batches that grow, for `warm_up_ns` at least; returns how many operations take `batch_ns`.
fn warm_up<W: LocalWork + ?Sized>(
    work: &mut W,
    warm_up_ns: u64,
    batch_ns: u64,
) -> Result<u64, DriverRefusal> {
    let (mut operations, mut spent) = (1, 0);
    loop {
        let nanoseconds = batch(work, operations)?.max(1);
        spent += nanoseconds;
        // A batch of a quarter of its time tells well enough how long one takes.
        if nanoseconds < batch_ns / 4 {
            operations *= 2;
        } else if spent >= warm_up_ns {
            return Ok((operations * batch_ns / nanoseconds).max(1));
        }
    }
}

/// Nanoseconds of so many operations.
fn batch<W: LocalWork + ?Sized>(work: &mut W, operations: u64) -> Result<u64, DriverRefusal> {
    work.prepare(operations)?;
    let began = now();
    work.run(operations)?;
    Ok(now() - began)
}

/// One operation at a time, for meters that count.
struct Single<'a, W: ?Sized>(&'a mut W);

impl<W: LocalWork + ?Sized> Operation for Single<'_, W> {
    fn run_operation(&mut self, meter: &mut impl StepMeter) -> Result<u64, DriverRefusal> {
        self.0.prepare(1)?;
        meter.start(Endpoint::Client);
        self.0.run(1)?;
        meter.stop();
        Ok(0)
    }
}
