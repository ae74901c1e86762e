//! Instructions of the server: those of nginx under callgrind, over a fixed number of operations.

use crate::{
    callgrind::Callgrind,
    client::{self, agreed},
    connections::{COUNTED_PATIENCE, tls},
    exchange::{self, Exchange},
    server::Server,
};
use shakedown_protocol::{Counts, DriverRefusal, DriverRequest, Negotiated, WireTraffic};

/// Operations of the shorter of two runs, so that what the server sets up once is in both.
const SETTLE: u32 = 3;

/// What came of a count.
pub struct Counted {
    /// What the operations cost the server.
    pub server: Counts,
    /// What the connections agreed on.
    pub negotiated: Negotiated,
    /// Connections that were checked.
    pub checked: u64,
    /// What one operation put on the wire.
    pub wire: WireTraffic,
}

/// What one run of the server did.
struct Run {
    instructions: u64,
    negotiated: Negotiated,
    checked: u64,
    wire: WireTraffic,
}

/// Counts a server's operations, one after the other: what a run of the server with them takes more than a
/// run with only the first few. Starting and ending it, and what it sets up once, are in both runs.
///
/// # Errors
/// [`DriverRefusal::Unsupported`] without valgrind, or what goes wrong in a connection.
pub fn count(request: &DriverRequest, body: u64) -> Result<Counted, DriverRefusal> {
    let few = run(request, body, SETTLE)?;
    let all = run(request, body, SETTLE.saturating_add(request.operations))?;
    let grown = all.instructions.checked_sub(few.instructions).filter(|more| *more > 0);
    let instructions = grown.ok_or_else(|| {
        let text = format!("nginx took no more instructions for {} operations", request.operations);
        DriverRefusal::Failed(text)
    })?;
    let operations = request.operations.into();
    Ok(Counted {
        server: Counts { operations, instructions: Some(instructions), ..Counts::default() },
        negotiated: all.negotiated,
        checked: all.checked,
        wire: all.wire,
    })
}

/// One run of the server, with so many operations.
fn run(request: &DriverRequest, body: u64, operations: u32) -> Result<Run, DriverRefusal> {
    let callgrind = Callgrind::find()?;
    let server = Server::start(request, body, Some(&callgrind))?;
    let done = operate(request, &server, body, operations);
    if done.is_err() {
        // A server that has ended explains more than what its client saw.
        server.stop()?;
    } else {
        server.finish()?;
    }
    let (negotiated, checked, wire) = done?;
    let instructions = callgrind.instructions().map_err(DriverRefusal::Failed)?;
    Ok(Run { instructions, negotiated, checked, wire })
}

/// The operations of a run, after one whose traffic is looked at. Says what was agreed on and how many
/// connections were checked, too.
fn operate(
    request: &DriverRequest,
    server: &Server,
    body: u64,
    operations: u32,
) -> Result<(Negotiated, u64, WireTraffic), DriverRefusal> {
    let failed = DriverRefusal::Failed;
    let (scenario, config) = (tls(request), client::configuration(request)?);
    let body = usize::try_from(body).map_err(|error| failed(error.to_string()))?;
    let wire = exchange::traffic(scenario, &server.address, &config, body, COUNTED_PATIENCE)
        .map_err(|error| failed(format!("first connection: {error}")))?;
    // In a transfer the connection stays.
    let keeps = request.scenario.is_bulk();
    let (mut agreed_on, mut checked) = (None, 0);
    let mut kept: Option<Exchange> = None;
    for _ in 0..operations {
        let (mut connection, is_new) = match kept.take() {
            Some(kept) => (kept, false),
            None => {
                (Exchange::open(&server.address, &config, COUNTED_PATIENCE).map_err(failed)?, true)
            }
        };
        connection.request(body, !keeps).map_err(failed)?;
        if is_new {
            agreed_on = Some(agreed(&connection.tls, scenario)?);
            checked += 1;
        }
        kept = keeps.then_some(connection);
    }
    let agreed_on = agreed_on.ok_or_else(|| failed("no operations were asked for".to_owned()))?;
    Ok((agreed_on, checked, wire))
}
