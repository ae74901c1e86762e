//! A stack that does nothing: it passes empty records in the rhythm of a handshake and
//! agrees to everything. What a run shows for it is the harness itself.

use shakedown_driver::{
    Connection, ConnectionInfo, DriverError, EndpointConfig, Endpoints, Pipe, Stack, Worker,
};
use shakedown_protocol::{
    CipherSuite, DRIVER_PROTOCOL, DriverInfo, DriverRefusal, Group, TlsScenario, TlsVersion,
};
use std::process::ExitCode;

/// An empty handshake record.
const RECORD: [u8; 5] = [22, 3, 3, 0, 0];

/// Longest body of a TLS record.
const BODY: usize = 16 * 1024;

struct NoOp;

impl Stack for NoOp {
    type Endpoints = NoOpEndpoints;

    fn info() -> DriverInfo {
        DriverInfo {
            protocol: DRIVER_PROTOCOL,
            stack: "noop".to_owned(),
            library: format!("noop {}", env!("CARGO_PKG_VERSION")),
            details: Vec::new(),
            cpu_features: Vec::new(),
        }
    }

    fn configure(setup: &EndpointConfig) -> Result<Self::Endpoints, DriverRefusal> {
        Ok(NoOpEndpoints(setup.scenario))
    }
}

struct NoOpEndpoints(TlsScenario);

impl Endpoints for NoOpEndpoints {
    type Worker = NoOpWorker;

    fn worker(&self) -> Result<NoOpWorker, DriverError> {
        Ok(NoOpWorker { scenario: self.0, connected: false })
    }
}

struct NoOpWorker {
    scenario: TlsScenario,
    /// Whether there is a session to resume.
    connected: bool,
}

impl NoOpWorker {
    fn end(&self, steps: u8, first: bool) -> NoOpConnection {
        let resumed = self.scenario.resumes() && self.connected;
        NoOpConnection {
            facts: connection_info(&self.scenario, first, resumed),
            steps,
            speaks: first,
        }
    }
}

impl Worker for NoOpWorker {
    type Client = NoOpConnection;
    type Server = NoOpConnection;

    fn new_client(&mut self) -> Result<NoOpConnection, DriverError> {
        Ok(self.end(2, true))
    }

    fn new_server(&mut self) -> Result<NoOpConnection, DriverError> {
        Ok(self.end(2, false))
    }

    fn renew_client(&mut self) -> Result<(), DriverRefusal> {
        Ok(())
    }

    fn renew_server(&mut self) -> Result<(), DriverRefusal> {
        Ok(())
    }

    fn after_handshake(
        &mut self,
        _: &mut NoOpConnection,
        _: &mut NoOpConnection,
    ) -> Result<(), DriverError> {
        self.connected = true;
        Ok(())
    }
}

fn connection_info(scenario: &TlsScenario, client: bool, resumed: bool) -> ConnectionInfo {
    let sees_key = if client { !resumed } else { scenario.client_auth };
    ConnectionInfo {
        version: scenario.version,
        cipher_suite: scenario.cipher_suite,
        cipher_suite_name: match scenario.cipher_suite {
            CipherSuite::Aes128Gcm => "NOOP_AES_128",
            CipherSuite::Aes256Gcm => "NOOP_AES_256",
            CipherSuite::Chacha20 => "NOOP_CHACHA20",
        },
        group: match (scenario.group, resumed && scenario.version == TlsVersion::Tls12) {
            (_, true) => None,
            (Group::Default, _) => Some(Group::X25519),
            (pinned, _) => Some(pinned),
        },
        peer_key: sees_key.then_some(scenario.key),
        peer_signature: None,
        peer_certificates: None,
        ocsp_response: None,
        early_data: false,
        resumed: Some(resumed),
    }
}

struct NoOpConnection {
    facts: ConnectionInfo,
    /// Flights still to send.
    steps: u8,
    /// Whether it speaks before it hears.
    speaks: bool,
}

impl Connection for NoOpConnection {
    #[inline]
    fn step(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError> {
        let heard = incoming.waiting().len();
        incoming.consume(heard);
        if self.steps > 0 && (self.speaks || heard > 0) {
            self.speaks = false;
            self.steps -= 1;
            outgoing.put(&RECORD);
        }
        Ok(())
    }

    fn is_handshaking(&self) -> bool {
        self.steps > 0
    }

    fn send(&mut self, data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError> {
        for body in data.chunks(BODY) {
            let length = (body.len() as u16).to_be_bytes();
            outgoing.put(&[23, 3, 3, length[0], length[1]]);
            outgoing.put(body);
        }
        Ok(())
    }

    fn receive(&mut self, incoming: &mut Pipe, into: &mut [u8]) -> Result<usize, DriverError> {
        let mut have = 0;
        while let [_, _, _, high, low, ..] = *incoming.waiting() {
            let body = usize::from(u16::from_be_bytes([high, low]));
            if have + body > into.len() {
                break;
            }
            incoming.consume(RECORD.len());
            have += incoming.take_into(&mut into[have..have + body]);
        }
        Ok(have)
    }

    fn connection_info(&self) -> Result<ConnectionInfo, DriverError> {
        Ok(self.facts)
    }
}

fn main() -> ExitCode {
    shakedown_driver::main::<NoOp>()
}
