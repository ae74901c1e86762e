//! From a request to what was measured.

use crate::{
    Ends, Pki, Setup, Stack,
    batch::{Series, Until},
    bulk,
    check::Checker,
    clock::now,
    handshake,
    latency::Recorder,
    memory,
    threads::together,
};
use protocol::{
    DRIVER_PROTOCOL, Kind, Measured, Meter, Negotiated, Refusal, Request, SideResult, Wire,
};
use std::sync::Barrier;

/// What one thread yields.
struct Yield {
    series: Series,
    negotiated: Negotiated,
    checked: u64,
    wire: Wire,
}

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
    if request.meter != Meter::Time {
        let text = format!("this driver has no meter {:?}", request.meter);
        return Err(Refusal::Unsupported(text));
    }
    let setup = Setup {
        scenario: request.scenario,
        pki: Pki::new(&request.pki, request.scenario.key),
        tickets: request.tickets,
        seed: None,
    };
    let ends = S::prepare(&setup)?;
    if let Kind::Memory { sessions } = request.scenario.kind {
        return peak_memory(&ends, request, sessions);
    }
    let threads = usize::from(request.scenario.threads.get());
    let yields = together(threads, |thread, barrier| match request.scenario.kind {
        Kind::Bulk { write, total } => {
            let mut lane = bulk::Lane::new(ends.worker()?, request, write, total)?;
            let wire = lane.look()?;
            let mut series = Series::new(request, thread);
            let pace = lane.warm_up(request)?;
            lane.run(&mut series, until(request, barrier), pace)?;
            lane.look()?;
            finish(lane.into_checker(), series, wire)
        }
        _ => {
            let mut lane = handshake::Lane::new(ends.worker()?, request)?;
            let wire = lane.look()?;
            let mut series = Series::new(request, thread);
            let pace = lane.warm_up(request)?;
            lane.run(&mut series, until(request, barrier), pace)?;
            finish(lane.into_checker(), series, wire)
        }
    })?;
    Ok(join(request, yields))
}

/// Waits for the other threads and says when to stop.
fn until(request: &Request, barrier: &Barrier) -> Until {
    let budget = u64::from(request.measure_ms) * 1_000_000;
    if request.scenario.threads.get() == 1 {
        return Until::Spent(budget);
    }
    barrier.wait();
    Until::Clock(now() + budget)
}

fn finish(checker: Checker<'_>, series: Series, wire: Wire) -> Result<Yield, Refusal> {
    let checked = checker.checked();
    let negotiated = checker
        .negotiated()
        .ok_or_else(|| Refusal::Failed("no connection was checked".to_owned()))?;
    Ok(Yield { series, negotiated, checked, wire })
}

/// Puts the threads' results together.
fn join(request: &Request, yields: Vec<Yield>) -> Measured {
    let checked = yields.iter().map(|one| one.checked).sum();
    let (negotiated, wire) = (yields[0].negotiated.clone(), yields[0].wire);
    let ends = match request.scenario.kind {
        // The server sends, the client receives; sides are listed as the scenario lists them.
        Kind::Bulk { .. } => [1, 0],
        _ => [0, 1],
    };
    let sides = request.scenario.sides().iter().zip(ends).map(|(side, end)| {
        let latency = Recorder::new();
        let latency = yields.iter().fold(latency, |mut sum, one| {
            sum.add(&one.series.latency[end]);
            sum
        });
        SideResult {
            side: *side,
            samples: yields.iter().flat_map(|one| one.series.samples[end].clone()).collect(),
            latency: latency.finish(),
            counts: None,
        }
    });
    Measured {
        scenario: request.scenario,
        negotiated,
        wire,
        checked,
        sides: sides.collect(),
        memory: None,
    }
}

fn peak_memory<E: Ends>(ends: &E, request: &Request, sessions: u32) -> Result<Measured, Refusal> {
    let mut worker = ends.worker()?;
    // One connection before: what a library sets up once is not the sessions' memory.
    let mut lane = handshake::Lane::new(ends.worker()?, request)?;
    let wire = lane.look()?;
    let mut checker = lane.into_checker();
    let memory = memory::measure(&mut worker, sessions, &mut checker)?;
    let checked = checker.checked();
    let negotiated = checker
        .negotiated()
        .ok_or_else(|| Refusal::Failed("no connection was checked".to_owned()))?;
    let side = protocol::Side::Both;
    let sides = vec![SideResult { side, samples: Vec::new(), latency: None, counts: None }];
    Ok(Measured {
        scenario: request.scenario,
        negotiated,
        wire,
        checked,
        sides,
        memory: Some(memory),
    })
}
