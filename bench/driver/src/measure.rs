//! Measures one request.

use crate::{
    DriverError, EndpointConfig, Endpoints, Pki, Stack,
    batch::{BatchSize, ThreadSamples, Until},
    bulk::Transfers,
    check::Checker,
    clock::now,
    count,
    handshake::Handshakes,
    latency::Recorder,
    memory,
    threads::together,
    workload::Workload,
};
use shakedown_protocol::{
    DRIVER_PROTOCOL, DriverRefusal, DriverRequest, Measurement, MemoryPoint, Meter, Negotiated,
    ScenarioKind, SideResult, WireTraffic,
};
use std::sync::Barrier;

/// Measures `request`.
///
/// # Errors
/// The reason why nothing was measured.
pub fn measure<S: Stack>(request: &DriverRequest) -> Result<Measurement, DriverRefusal> {
    if request.protocol != DRIVER_PROTOCOL {
        let text = format!(
            "the request uses driver protocol {}, but this driver uses {DRIVER_PROTOCOL}: rebuild the driver",
            request.protocol
        );
        return Err(DriverRefusal::Failed(text));
    }
    let ends = S::configure(&EndpointConfig {
        scenario: request.scenario,
        pki: Pki::new(&request.pki, request.scenario.key),
        tickets: request.tickets,
        seed: (request.meter != Meter::Time).then_some(request.seed),
    })?;
    let threads = usize::from(request.scenario.threads.get());
    let worker = || ends.worker();
    match (request.scenario.kind, request.meter) {
        (ScenarioKind::Memory { sessions }, Meter::Time) => peak_memory(&ends, request, sessions),
        (ScenarioKind::Memory { .. }, _) => {
            unsupported("memory scenarios support the time meter only")
        }
        (_, Meter::Heap | Meter::Instructions) if threads > 1 => {
            unsupported("counting meters support one thread only")
        }
        (ScenarioKind::Bulk { write, total }, Meter::Time) => {
            let workload = || Transfers::new(worker()?, request, write, total);
            join(request, together(threads, |index, all| timed(workload()?, request, index, all))?)
        }
        (ScenarioKind::Handshake(_), Meter::Time) => {
            let workload = || Handshakes::new(worker()?, request);
            join(request, together(threads, |index, all| timed(workload()?, request, index, all))?)
        }
        (ScenarioKind::Bulk { write, total }, _) => {
            counted(Transfers::new(worker()?, request, write, total)?, request)
        }
        (ScenarioKind::Handshake(_), _) => counted(Handshakes::new(worker()?, request)?, request),
    }
}

fn unsupported(why: &str) -> Result<Measurement, DriverRefusal> {
    Err(DriverRefusal::Unsupported(why.to_owned()))
}

/// The result of one thread.
struct ThreadResult {
    series: ThreadSamples,
    facts: CheckedConnections,
    wire: WireTraffic,
}

/// What all connections of a workload negotiated, and their number.
struct CheckedConnections {
    negotiated: Negotiated,
    checked: u64,
}

impl TryFrom<Checker<'_>> for CheckedConnections {
    type Error = DriverError;

    fn try_from(checker: Checker<'_>) -> Result<Self, DriverError> {
        let checked = checker.checked();
        let negotiated = checker.negotiated();
        let negotiated =
            negotiated.ok_or_else(|| DriverError("no connection was checked".into()))?;
        Ok(Self { negotiated, checked })
    }
}

/// Runs a workload under the time meter.
fn timed<'a>(
    mut workload: impl Workload<'a>,
    request: &DriverRequest,
    thread: u64,
    all: &Barrier,
) -> Result<ThreadResult, DriverRefusal> {
    let wire = workload.probe()?;
    let mut series = ThreadSamples::new(request, thread);
    let batch_size = BatchSize::estimate(request, &mut workload)?;
    let budget = u64::from(request.measure_ms) * 1_000_000;
    let until = if request.scenario.threads.get() == 1 {
        Until::Spent(budget)
    } else {
        all.wait();
        Until::Clock(now() + budget)
    };
    series.run(&mut workload, until, batch_size)?;
    // Check the last operation as well as the first.
    workload.probe()?;
    Ok(ThreadResult { series, facts: workload.into_checker().try_into()?, wire })
}

/// Runs a workload under a counting meter, for a fixed number of operations.
fn counted<'a>(
    mut workload: impl Workload<'a>,
    request: &DriverRequest,
) -> Result<Measurement, DriverRefusal> {
    let wire = workload.probe()?;
    let counts = match request.meter {
        Meter::Heap => count::heap(&mut workload, request.operations)?,
        _ => count::instructions(&mut workload, request.operations)?,
    };
    let facts = CheckedConnections::try_from(workload.into_checker())?;
    let sides = ends_of_sides(request).map(|(side, end)| SideResult {
        side,
        samples: Vec::new(),
        latency: None,
        counts: Some(counts[end]),
    });
    Ok(measured(request, facts, wire, sides.collect(), None))
}

/// The scenario's sides, each with the index of its endpoint (client 0, server 1). In transfers
/// the server sends.
fn ends_of_sides(
    request: &DriverRequest,
) -> impl Iterator<Item = (shakedown_protocol::Side, usize)> {
    let ends = match request.scenario.kind {
        ScenarioKind::Bulk { .. } => [1, 0],
        _ => [0, 1],
    };
    request.scenario.sides().iter().copied().zip(ends)
}

/// Combines the results of all threads.
fn join(request: &DriverRequest, results: Vec<ThreadResult>) -> Result<Measurement, DriverRefusal> {
    let sides = ends_of_sides(request).map(|(side, end)| {
        let latency = results.iter().fold(Recorder::new(), |mut sum, one| {
            sum.add(&one.series.latency[end]);
            sum
        });
        SideResult {
            side,
            samples: results.iter().flat_map(|one| one.series.samples[end].clone()).collect(),
            latency: latency.finish(),
            counts: None,
        }
    });
    let sides = sides.collect();
    let checked = results.iter().map(|one| one.facts.checked).sum();
    let first = results.into_iter().next();
    let first = first.ok_or_else(|| DriverRefusal::Failed("no thread ran".to_owned()))?;
    let facts = CheckedConnections { checked, ..first.facts };
    Ok(measured(request, facts, first.wire, sides, None))
}

fn peak_memory<E: Endpoints>(
    ends: &E,
    request: &DriverRequest,
    sessions: u32,
) -> Result<Measurement, DriverRefusal> {
    // Make one connection first, so that one-time initialisation is not counted as session memory.
    let mut workload = Handshakes::new(ends.worker()?, request)?;
    let wire = workload.probe()?;
    let mut checker = workload.into_checker();
    let memory = memory::measure(&mut ends.worker()?, sessions, &mut checker)?;
    let sides = request.scenario.sides().iter().map(|side| SideResult {
        side: *side,
        samples: Vec::new(),
        latency: None,
        counts: None,
    });
    Ok(measured(request, checker.try_into()?, wire, sides.collect(), Some(memory)))
}

fn measured(
    request: &DriverRequest,
    facts: CheckedConnections,
    wire: WireTraffic,
    sides: Vec<SideResult>,
    memory: Option<MemoryPoint>,
) -> Measurement {
    Measurement {
        scenario: request.scenario,
        negotiated: facts.negotiated,
        wire: Some(wire),
        checked: facts.checked,
        sides,
        memory,
    }
}
