//! Memory of the server with many idle connections.

use crate::{
    client::{self, agreed},
    connections::{self, PATIENCE, tls},
    exchange::{self, Exchange},
    server::Server,
};
use shakedown_protocol::{DriverRefusal, DriverRequest, MemoryPoint, Negotiated, WireTraffic};

/// What came of it.
pub struct Idle {
    /// Resident set of the server without connections, and at its peak.
    pub memory: MemoryPoint,
    /// What the connections agreed on.
    pub negotiated: Negotiated,
    /// What one connection put on the wire.
    pub wire: WireTraffic,
}

/// Opens so many connections one after the other, each with one request, and keeps all of them.
///
/// # Errors
/// [`DriverRefusal::Unsupported`] where a process may not have so many open files, or what goes wrong in
/// a connection.
pub fn idle(request: &DriverRequest, sessions: u32, body: u64) -> Result<Idle, DriverRefusal> {
    let failed = DriverRefusal::Failed;
    connections::allow(sessions)?;
    let (scenario, config) = (tls(request), client::configuration(request)?);
    let body_size = usize::try_from(body).map_err(|error| failed(error.to_string()))?;
    let server = Server::start(request, body, None)?;
    let opened = (|| -> Result<Idle, DriverRefusal> {
        // What the server sets up once comes with it.
        let wire = exchange::traffic(scenario, &server.address, &config, body_size, PATIENCE)
            .map_err(|error| failed(format!("first connection: {error}")))?;
        let baseline_kib = server.memory("VmRSS").map_err(failed)?;
        let mut connections = Vec::new();
        let mut negotiated = None;
        for _ in 0..sessions {
            let mut connection =
                Exchange::open(&server.address, &config, PATIENCE).map_err(failed)?;
            connection.request(body_size, false).map_err(failed)?;
            negotiated = Some(agreed(&connection.tls, scenario)?);
            connections.push(connection);
        }
        let peak_kib = server.memory("VmHWM").map_err(failed)?;
        let negotiated = negotiated.ok_or_else(|| failed("no connections".to_owned()))?;
        let memory = MemoryPoint { sessions, baseline_kib, peak_kib };
        Ok(Idle { memory, negotiated, wire })
    })();
    // A server that has ended explains more than what its client saw.
    server.stop()?;
    opened
}
