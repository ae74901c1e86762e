//! One trial.

use crate::{latency::summary, load::load, server::Server};
use shakedown_protocol::{
    DriverRefusal, DriverRequest, Measurement, Meter, Resumption, ScenarioKind, SideResult,
};

/// Body of a response in a handshake scenario.
const SMALL: u64 = 1024;
/// What the library says of a group that it does not have, by way of nginx.
const NO_GROUP: &str = "set1_curves_list";

/// Starts the servers, loads them, and ends them.
///
/// # Errors
/// What a server can't do, or what went wrong.
pub fn measure(request: &DriverRequest) -> Result<Measurement, DriverRefusal> {
    let body = body(request).map_err(|why| DriverRefusal::Unsupported(why.to_owned()))?;
    let server = Server::start(request, body).map_err(DriverRefusal::Failed)?;
    let loaded = load(request, &server, body);
    // A server that has ended explains more than what its clients saw.
    server.stop().map_err(|error| {
        if error.contains(NO_GROUP) {
            DriverRefusal::Unsupported(format!("this library has no {}", request.scenario.group))
        } else {
            DriverRefusal::Failed(error)
        }
    })?;
    let loaded = loaded?;
    let side = |side, samples, latency| SideResult { side, samples, latency, counts: None };
    let [one, two] = match request.scenario.sides() {
        [one, two] => [*one, *two],
        _ => return Err(DriverRefusal::Unsupported("a server has two sides".to_owned())),
    };
    let times = summary(&loaded.times);
    // In a transfer the server sends, and its side comes first.
    let sides = if matches!(request.scenario.kind, ScenarioKind::Bulk { .. }) {
        vec![side(one, loaded.server, None), side(two, loaded.client, times)]
    } else {
        vec![side(one, loaded.client, times), side(two, loaded.server, None)]
    };
    Ok(Measurement {
        scenario: request.scenario,
        negotiated: loaded.negotiated,
        wire: Some(loaded.wire),
        checked: loaded.checked,
        sides,
        memory: None,
    })
}

/// Bytes of a response, or why the scenario is none for a server.
fn body(request: &DriverRequest) -> Result<u64, &'static str> {
    let scenario = &request.scenario;
    if scenario.in_tree {
        return Err("a server measures no `intree/` scenarios");
    }
    if request.meter != Meter::Time {
        return Err("a server's instructions and allocations are not counted");
    }
    if scenario.client_auth {
        return Err("the load generator has no certificate");
    }
    if ![0, 2].contains(&request.tickets) {
        return Err("nginx sends as many tickets as the library does by itself, or none");
    }
    match scenario.kind {
        ScenarioKind::Handshake(Resumption::Full | Resumption::Ticket) => Ok(SMALL),
        ScenarioKind::Handshake(Resumption::SessionId) => Err("nginx resumes by ticket here"),
        ScenarioKind::Bulk { write, total: None } => Ok(write.0),
        ScenarioKind::Bulk { .. } => Err("a transfer of a server goes on as long as the trial"),
        ScenarioKind::Memory { .. } => Err("memory of idle connections is not measured"),
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
            ("memory/tls1.3/aes256-gcm/x25519/rsa-2048/sessions-10", false),
        ] {
            assert_eq!(body(&request(id)).is_ok(), sound, "{id}");
        }
        let counted = DriverRequest {
            meter: Meter::Instructions,
            ..request("handshake-full/tls1.3/aes256-gcm/x25519/rsa-2048")
        };
        assert!(body(&counted).is_err());
    }
}
