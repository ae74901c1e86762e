//! Measures scenarios that make connections.

use crate::{
    DriverError, EndpointConfig, Endpoints, Pki, Stack,
    batch::{BatchSize, ThreadSamples, Until},
    bulk::Transfers,
    check::Checker,
    clock::now,
    count::{count, locks_until},
    handshake::Handshakes,
    latency::Recorder,
    memory,
    setup::{NewContexts, first_handshake},
    threads::together,
    workload::Workload,
};
use shakedown_protocol::{
    Counts, DriverRefusal, DriverRequest, Measurement, MemoryPoint, Meter, Negotiated,
    ScenarioKind, SetupWork, SideResult, TicketCount, TlsScenario, WireTraffic,
};
use std::sync::Barrier;

/// Measures `request`, whose scenario makes these connections.
///
/// # Errors
/// The reason why nothing was measured.
pub fn measure<S: Stack>(
    request: &DriverRequest,
    scenario: &TlsScenario,
) -> Result<Measurement, DriverRefusal> {
    if scenario.connections.is_some() {
        return unsupported("connections at once are those of a real server");
    }
    let config = EndpointConfig {
        scenario: *scenario,
        pki: Pki::of(&request.pki, scenario),
        tickets: scenario.tickets.map_or(request.tickets, TicketCount::number),
        seed: (request.meter != Meter::Time).then_some(request.seed),
    };
    S::offers(scenario)?;
    if scenario.kind == ScenarioKind::Setup(SetupWork::Process) {
        return new_process::<S>(request, &config, scenario);
    }
    let ends = S::configure(&config)?;
    let worker = || ends.worker();
    match (scenario.kind, request.meter) {
        (ScenarioKind::Memory { sessions }, Meter::Time) => {
            peak_memory(&ends, request, scenario, sessions)
        }
        (ScenarioKind::Memory { .. }, _) => {
            unsupported("memory scenarios support the time meter only")
        }
        (_, Meter::Heap | Meter::Instructions) if scenario.threads.get() > 1 => {
            unsupported("allocations and instructions are counted on one thread only")
        }
        (ScenarioKind::Bulk { write, total, .. }, _) => {
            run(request, || Transfers::new(worker()?, scenario, write, total))
        }
        (ScenarioKind::Setup(work), _) => {
            run(request, || Ok(NewContexts::new(worker()?, scenario, work)))
        }
        (ScenarioKind::Handshake(_), _) => run(request, || Handshakes::new(worker()?, scenario)),
    }
}

/// Runs a workload for each thread, under the meter of the request.
fn run<'a, W: Workload<'a>>(
    request: &DriverRequest,
    workload: impl Fn() -> Result<W, DriverRefusal> + Sync,
) -> Result<Measurement, DriverRefusal> {
    let threads = usize::from(request.scenario.threads().get());
    match request.meter {
        Meter::Time => {
            join(request, together(threads, |index, all| timed(workload()?, request, index, all))?)
        }
        Meter::Locks if threads > 1 => {
            add(request, together(threads, |_, all| contended(workload()?, request, all))?)
        }
        _ => counted(workload()?, request),
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
    let until = if request.scenario.threads().get() == 1 {
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
    let counts = count(&mut workload, request)?;
    let facts = CheckedConnections::try_from(workload.into_checker())?;
    Ok(measured(request, facts, wire, sides_of(request, counts), None))
}

/// The result of one thread under the lock meter.
struct ThreadCounts {
    counts: [Counts; 2],
    facts: CheckedConnections,
    wire: WireTraffic,
}

/// Runs a workload under the lock meter, together with other threads and for the measuring time.
fn contended<'a>(
    mut workload: impl Workload<'a>,
    request: &DriverRequest,
    all: &Barrier,
) -> Result<ThreadCounts, DriverRefusal> {
    let wire = workload.probe()?;
    all.wait();
    let until = now() + u64::from(request.measure_ms) * 1_000_000;
    let counts = locks_until(&mut workload, until)?;
    workload.probe()?;
    Ok(ThreadCounts { counts, facts: workload.into_checker().try_into()?, wire })
}

/// The scenario's sides, each with the index of its endpoint (client 0, server 1). In transfers
/// the server sends.
fn ends_of_sides(
    request: &DriverRequest,
) -> impl Iterator<Item = (shakedown_protocol::Side, usize)> {
    let ends = if request.scenario.is_bulk() { [1, 0] } else { [0, 1] };
    request.scenario.sides().iter().copied().zip(ends)
}

/// What was counted, as results of the sides.
fn sides_of(request: &DriverRequest, counts: [Counts; 2]) -> Vec<SideResult> {
    let sides = ends_of_sides(request).map(|(side, end)| SideResult {
        side,
        samples: Vec::new(),
        latency: None,
        counts: Some(counts[end]),
    });
    sides.collect()
}

/// Adds the counts of all threads.
fn add(request: &DriverRequest, results: Vec<ThreadCounts>) -> Result<Measurement, DriverRefusal> {
    let mut results = results.into_iter();
    let first = results.next();
    let mut sum = first.ok_or_else(|| DriverRefusal::Failed("no thread ran".to_owned()))?;
    for one in results {
        for (sum, one) in sum.counts.iter_mut().zip(one.counts) {
            sum.operations += one.operations;
            sum.lock_operations = sum.lock_operations.zip(one.lock_operations).map(|(a, b)| a + b);
            sum.lock_waits = sum.lock_waits.zip(one.lock_waits).map(|(a, b)| a + b);
        }
        sum.facts.checked += one.facts.checked;
    }
    Ok(measured(request, sum.facts, sum.wire, sides_of(request, sum.counts), None))
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

/// Times the first handshake of this process.
fn new_process<S: Stack>(
    request: &DriverRequest,
    config: &EndpointConfig,
    scenario: &TlsScenario,
) -> Result<Measurement, DriverRefusal> {
    if request.meter != Meter::Time {
        return unsupported("the first handshake of a process is timed only");
    }
    let (sample, mut workload) = first_handshake::<S>(config, scenario)?;
    let wire = workload.probe()?;
    let facts = workload.into_checker().try_into()?;
    let sides = request.scenario.sides().iter().map(|side| SideResult {
        side: *side,
        samples: vec![sample],
        latency: None,
        counts: None,
    });
    Ok(measured(request, facts, wire, sides.collect(), None))
}

fn peak_memory<E: Endpoints>(
    ends: &E,
    request: &DriverRequest,
    scenario: &TlsScenario,
    sessions: u32,
) -> Result<Measurement, DriverRefusal> {
    // Make one connection first, so that one-time initialisation is not counted as session memory.
    let mut workload = Handshakes::new(ends.worker()?, scenario)?;
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
        negotiated: Some(facts.negotiated),
        wire: Some(wire),
        checked: facts.checked,
        sides,
        memory,
    }
}
