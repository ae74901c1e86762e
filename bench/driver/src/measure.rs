//! From a request to what was measured.

use crate::{
    Ends, Failure, Pki, Setup, Stack,
    batch::{Pace, Series, Until},
    bulk::Transfers,
    check::Checker,
    clock::now,
    count,
    handshake::Handshakes,
    lane::Lane,
    latency::Recorder,
    memory,
    threads::together,
};
use shakedown_protocol::{
    DRIVER_PROTOCOL, Kind, Measured, MemoryPoint, Meter, Negotiated, Refusal, Request, SideResult,
    Wire,
};
use std::sync::Barrier;

/// Measures what `request` asks for.
///
/// # Errors
/// Why nothing was measured.
pub fn measure<S: Stack>(request: &Request) -> Result<Measured, Refusal> {
    if request.protocol != DRIVER_PROTOCOL {
        let text = format!(
            "the request is of driver protocol {}, this driver speaks {DRIVER_PROTOCOL}: build it anew",
            request.protocol
        );
        return Err(Refusal::Failed(text));
    }
    let ends = S::prepare(&Setup {
        scenario: request.scenario,
        pki: Pki::new(&request.pki, request.scenario.key),
        tickets: request.tickets,
        seed: (request.meter != Meter::Time).then_some(request.seed),
    })?;
    let threads = usize::from(request.scenario.threads.get());
    let worker = || ends.worker();
    match (request.scenario.kind, request.meter) {
        (Kind::Memory { sessions }, Meter::Time) => peak_memory(&ends, request, sessions),
        (Kind::Memory { .. }, _) => unsupported("memory scenarios are measured, not counted"),
        (_, Meter::Heap | Meter::Instructions) if threads > 1 => {
            unsupported("counts are of one thread")
        }
        (Kind::Bulk { write, total }, Meter::Time) => {
            let lane = || Transfers::new(worker()?, request, write, total);
            join(request, together(threads, |index, all| timed(lane()?, request, index, all))?)
        }
        (Kind::Handshake(_), Meter::Time) => {
            let lane = || Handshakes::new(worker()?, request);
            join(request, together(threads, |index, all| timed(lane()?, request, index, all))?)
        }
        (Kind::Bulk { write, total }, _) => {
            counted(Transfers::new(worker()?, request, write, total)?, request)
        }
        (Kind::Handshake(_), _) => counted(Handshakes::new(worker()?, request)?, request),
    }
}

fn unsupported(why: &str) -> Result<Measured, Refusal> {
    Err(Refusal::Unsupported(why.to_owned()))
}

/// What one thread yields.
struct Yield {
    series: Series,
    facts: Agreed,
    wire: Wire,
}

/// What the connections of a lane agreed on, and how many there were.
struct Agreed {
    negotiated: Negotiated,
    checked: u64,
}

impl TryFrom<Checker<'_>> for Agreed {
    type Error = Failure;

    fn try_from(checker: Checker<'_>) -> Result<Self, Failure> {
        let checked = checker.checked();
        let negotiated = checker.negotiated();
        let negotiated = negotiated.ok_or_else(|| Failure("no connection was checked".into()))?;
        Ok(Self { negotiated, checked })
    }
}

/// Runs a lane by the clock.
fn timed<'a>(
    mut lane: impl Lane<'a>,
    request: &Request,
    thread: u64,
    all: &Barrier,
) -> Result<Yield, Refusal> {
    let wire = lane.look()?;
    let mut series = Series::new(request, thread);
    let pace = Pace::find(request, &mut lane)?;
    let budget = u64::from(request.measure_ms) * 1_000_000;
    let until = if request.scenario.threads.get() == 1 {
        Until::Spent(budget)
    } else {
        all.wait();
        Until::Clock(now() + budget)
    };
    series.run(&mut lane, until, pace)?;
    // Not only the first operation, also the last one is looked at.
    lane.look()?;
    Ok(Yield { series, facts: lane.into_checker().try_into()?, wire })
}

/// Counts over a fixed number of operations.
fn counted<'a>(mut lane: impl Lane<'a>, request: &Request) -> Result<Measured, Refusal> {
    let wire = lane.look()?;
    let counts = match request.meter {
        Meter::Heap => count::heap(&mut lane, request.operations)?,
        _ => count::instructions(&mut lane, request.operations)?,
    };
    let facts = Agreed::try_from(lane.into_checker())?;
    let sides = ends_of_sides(request).map(|(side, end)| SideResult {
        side,
        samples: Vec::new(),
        latency: None,
        counts: Some(counts[end]),
    });
    Ok(measured(request, facts, wire, sides.collect(), None))
}

/// The scenario's sides with the end that each is of: the client's is 0, the server's 1. In
/// transfers the server sends.
fn ends_of_sides(request: &Request) -> impl Iterator<Item = (shakedown_protocol::Side, usize)> {
    let ends = match request.scenario.kind {
        Kind::Bulk { .. } => [1, 0],
        _ => [0, 1],
    };
    request.scenario.sides().iter().copied().zip(ends)
}

/// Puts the threads' results together.
fn join(request: &Request, yields: Vec<Yield>) -> Result<Measured, Refusal> {
    let sides = ends_of_sides(request).map(|(side, end)| {
        let latency = yields.iter().fold(Recorder::new(), |mut sum, one| {
            sum.add(&one.series.latency[end]);
            sum
        });
        SideResult {
            side,
            samples: yields.iter().flat_map(|one| one.series.samples[end].clone()).collect(),
            latency: latency.finish(),
            counts: None,
        }
    });
    let sides = sides.collect();
    let checked = yields.iter().map(|one| one.facts.checked).sum();
    let first = yields.into_iter().next();
    let first = first.ok_or_else(|| Refusal::Failed("no thread ran".to_owned()))?;
    let facts = Agreed { checked, ..first.facts };
    Ok(measured(request, facts, first.wire, sides, None))
}

fn peak_memory<E: Ends>(ends: &E, request: &Request, sessions: u32) -> Result<Measured, Refusal> {
    // One connection before: what a library sets up once is not the sessions' memory.
    let mut lane = Handshakes::new(ends.worker()?, request)?;
    let wire = lane.look()?;
    let mut checker = lane.into_checker();
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
    request: &Request,
    facts: Agreed,
    wire: Wire,
    sides: Vec<SideResult>,
    memory: Option<MemoryPoint>,
) -> Measured {
    Measured {
        scenario: request.scenario,
        negotiated: facts.negotiated,
        wire,
        checked: facts.checked,
        sides,
        memory,
    }
}
