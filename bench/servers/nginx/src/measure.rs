//! One trial.

use crate::{
    connections::{self, at_once},
    count::{Counted, count},
    load::{Loaded, load},
    memory::{Idle, idle},
    server::Server,
};
use shakedown_protocol::{
    Counts, DriverRefusal, DriverRequest, Latency, Measurement, Meter, Resumption, Sample,
    ScenarioKind, Side, SideResult, Verification,
};

/// Body of a response where the connections are what is measured.
const SMALL: u64 = 1024;

/// Starts the servers, loads them, and ends them.
///
/// # Errors
/// What a server can't do, or what went wrong.
pub fn measure(request: &DriverRequest) -> Result<Measurement, DriverRefusal> {
    let body = body(request).map_err(|why| DriverRefusal::Unsupported(why.to_owned()))?;
    match (request.meter, request.scenario.tls().map(|scenario| scenario.kind)) {
        (_, Some(ScenarioKind::Memory { sessions })) => remembered(request, sessions, body),
        (Meter::Instructions, _) => counted(request, body),
        _ => timed(request, body),
    }
}

fn remembered(
    request: &DriverRequest,
    sessions: u32,
    body: u64,
) -> Result<Measurement, DriverRefusal> {
    let Idle { memory, negotiated, wire } = idle(request, sessions, body)?;
    let both = SideResult { side: Side::Both, samples: Vec::new(), latency: None, counts: None };
    Ok(Measurement {
        scenario: request.scenario,
        negotiated: Some(negotiated),
        wire: Some(wire),
        checked: sessions.into(),
        sides: vec![both],
        memory: Some(memory),
    })
}

fn timed(request: &DriverRequest, body: u64) -> Result<Measurement, DriverRefusal> {
    connections::allow(at_once(request).into())?;
    let server = Server::start(request, body, None)?;
    let loaded = load(request, &server, body);
    // A server that has ended explains more than what its clients saw.
    server.stop()?;
    let Loaded { client, server, times, negotiated, checked, wire } = loaded?;
    let client = Part { samples: client, latency: times, counts: None };
    let server = Part { samples: server, ..Part::default() };
    let sides = sides(request, client, server)?;
    let scenario = request.scenario;
    Ok(Measurement {
        scenario,
        negotiated: Some(negotiated),
        wire: Some(wire),
        checked,
        sides,
        memory: None,
    })
}

fn counted(request: &DriverRequest, body: u64) -> Result<Measurement, DriverRefusal> {
    let Counted { server, negotiated, checked, wire } = count(request, body)?;
    let server = Part { counts: Some(server), ..Part::default() };
    // The load generator is not under callgrind: what it takes is no result.
    let sides = sides(request, Part::default(), server)?;
    let scenario = request.scenario;
    Ok(Measurement {
        scenario,
        negotiated: Some(negotiated),
        wire: Some(wire),
        checked,
        sides,
        memory: None,
    })
}

/// What one end yielded.
#[derive(Default)]
struct Part {
    samples: Vec<Sample>,
    latency: Option<Latency>,
    counts: Option<Counts>,
}

/// Both ends in the order of the scenario. In a transfer the server sends, and its side comes first.
fn sides(
    request: &DriverRequest,
    client: Part,
    server: Part,
) -> Result<Vec<SideResult>, DriverRefusal> {
    let [one, two] = match request.scenario.sides() {
        [one, two] => [*one, *two],
        _ => return Err(DriverRefusal::Unsupported("a server has two sides".to_owned())),
    };
    let result = |side: Side, part: Part| {
        let Part { samples, latency, counts } = part;
        SideResult { side, samples, latency, counts }
    };
    let parts = if request.scenario.is_bulk() { [server, client] } else { [client, server] };
    let [first, second] = parts;
    Ok(vec![result(one, first), result(two, second)])
}

/// Bytes of a response, or why the scenario is none for a server.
fn body(request: &DriverRequest) -> Result<u64, &'static str> {
    let Some(scenario) = request.scenario.tls() else {
        return Err("a server measures no primitives");
    };
    if scenario.in_tree {
        return Err("a server measures no `intree/` scenarios");
    }
    if matches!(request.meter, Meter::Heap | Meter::Locks) {
        return Err("a server's allocations and locks are not counted");
    }
    if scenario.client_auth {
        return Err("the load generator has no certificate");
    }
    if scenario.verification != Verification::default() {
        return Err("the load generator verifies one chain, and no proof that it was not revoked");
    }
    if scenario.connections.is_some() && request.meter == Meter::Instructions {
        return Err("a server's instructions are counted one operation after the other");
    }
    if scenario.tickets.is_some() || ![0, 2].contains(&request.tickets) {
        return Err("nginx sends as many tickets as the library does by itself, or none");
    }
    match scenario.kind {
        ScenarioKind::Handshake(Resumption::Full | Resumption::Ticket) => Ok(SMALL),
        ScenarioKind::Handshake(Resumption::SessionId) => Err("nginx resumes by ticket here"),
        ScenarioKind::Handshake(Resumption::EarlyData) => {
            Err("the load generator sends no early data")
        }
        ScenarioKind::Bulk { .. } if scenario.records().is_some() => {
            Err("nginx sends records of the library's size here")
        }
        ScenarioKind::Bulk { write, total: None, .. } => Ok(write.0),
        ScenarioKind::Bulk { .. } => Err("a transfer of a server goes on as long as the trial"),
        ScenarioKind::Memory { .. } => Ok(SMALL),
        ScenarioKind::Setup(_) => Err("a server is set up before it is measured"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_protocol::DRIVER_PROTOCOL;

    fn request(id: &str) -> DriverRequest {
        DriverRequest {
            protocol: DRIVER_PROTOCOL,
            scenario: id.parse().unwrap(),
            meter: Meter::Time,
            pki: concat!(env!("CARGO_MANIFEST_DIR"), "/../../pki").into(),
            warm_up_ms: 10,
            measure_ms: 100,
            batch_ms: 20,
            operations: 10,
            tickets: 2,
            seed: 1,
        }
    }

    #[test]
    fn what_a_server_does_not_do_is_said() {
        for (id, sound) in [
            ("handshake-full/tls1.3/aes256-gcm/x25519/rsa-2048", true),
            ("handshake-ticket/tls1.2/aes256-gcm/x25519/rsa-2048", true),
            ("bulk/tls1.3/aes256-gcm/x25519/rsa-2048/write-16KiB", true),
            ("bulk/tls1.3/aes256-gcm/x25519/rsa-2048/write-16KiB/total-1MiB", false),
            ("handshake-session-id/tls1.3/aes256-gcm/x25519/rsa-2048", false),
            ("handshake-full/tls1.3/aes256-gcm/x25519/rsa-2048/client-auth", false),
            ("handshake-full/tls1.3/aes256-gcm/x25519/rsa-2048/chain-3", false),
            ("bulk/tls1.3/aes256-gcm/x25519/rsa-2048/write-16KiB/record-512", false),
            ("handshake-full/tls1.3/aes256-gcm/x25519/rsa-2048/connections-1000", true),
            ("memory/tls1.3/aes256-gcm/x25519/rsa-2048/sessions-10", true),
        ] {
            assert_eq!(body(&request(id)).is_ok(), sound, "{id}");
        }
        for (meter, sound) in [(Meter::Heap, false), (Meter::Instructions, true)] {
            let counted = DriverRequest {
                meter,
                ..request("handshake-full/tls1.3/aes256-gcm/x25519/rsa-2048")
            };
            assert_eq!(body(&counted).is_ok(), sound, "{meter:?}");
        }
        let at_once = DriverRequest {
            meter: Meter::Instructions,
            ..request("bulk/tls1.3/aes256-gcm/x25519/rsa-2048/write-16KiB/connections-100")
        };
        assert!(body(&at_once).is_err());
    }
}
