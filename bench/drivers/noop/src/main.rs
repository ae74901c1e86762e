//! A stack that does nothing: it passes empty records in the rhythm of a handshake and
//! agrees to everything. What a run shows for it is the harness itself.

use shakedown_driver::{Connection, Ends, Facts, Failure, Pipe, Setup, Stack, Worker};
use shakedown_protocol::{CipherSuite, DRIVER_PROTOCOL, DriverInfo, Group, Refusal, Scenario, TlsVersion};
use std::process::ExitCode;

/// An empty handshake record.
const RECORD: [u8; 5] = [22, 3, 3, 0, 0];

/// Longest body of a TLS record.
const BODY: usize = 16 * 1024;

struct NoOp;

impl Stack for NoOp {
    type Ends = NoOpEnds;

    fn info() -> DriverInfo {
        DriverInfo {
            protocol: DRIVER_PROTOCOL,
            stack: "noop".to_owned(),
            library: format!("noop {}", env!("CARGO_PKG_VERSION")),
            details: Vec::new(),
            cpu_features: Vec::new(),
        }
    }

    fn prepare(setup: &Setup) -> Result<Self::Ends, Refusal> {
        Ok(NoOpEnds(setup.scenario))
    }
}

struct NoOpEnds(Scenario);

impl Ends for NoOpEnds {
    type Worker = NoOpWorker;

    fn worker(&self) -> Result<NoOpWorker, Failure> {
        Ok(NoOpWorker { scenario: self.0, connected: false })
    }
}

struct NoOpWorker {
    scenario: Scenario,
    /// Whether there is a session to resume.
    connected: bool,
}

impl NoOpWorker {
    fn end(&self, steps: u8, first: bool) -> NoOpEnd {
        let resumed = self.scenario.resumes() && self.connected;
        NoOpEnd { facts: facts(&self.scenario, first, resumed), steps, speaks: first }
    }
}

impl Worker for NoOpWorker {
    type Client = NoOpEnd;
    type Server = NoOpEnd;

    fn client(&mut self) -> Result<NoOpEnd, Failure> {
        Ok(self.end(2, true))
    }

    fn server(&mut self) -> Result<NoOpEnd, Failure> {
        Ok(self.end(2, false))
    }

    fn finished(&mut self, _: &mut NoOpEnd, _: &mut NoOpEnd) -> Result<(), Failure> {
        self.connected = true;
        Ok(())
    }
}

fn facts(scenario: &Scenario, client: bool, resumed: bool) -> Facts {
    let sees_key = if client { !resumed } else { scenario.client_auth };
    Facts {
        version: scenario.version,
        suite: scenario.suite,
        suite_name: match scenario.suite {
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
        resumed,
    }
}

struct NoOpEnd {
    facts: Facts,
    /// Flights still to send.
    steps: u8,
    /// Whether it speaks before it hears.
    speaks: bool,
}

impl Connection for NoOpEnd {
    #[inline]
    fn turn(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), Failure> {
        let heard = incoming.waiting().len();
        incoming.consume(heard);
        if self.steps > 0 && (self.speaks || heard > 0) {
            self.speaks = false;
            self.steps -= 1;
            outgoing.put(&RECORD);
        }
        Ok(())
    }

    fn handshaking(&self) -> bool {
        self.steps > 0
    }

    fn send(&mut self, data: &[u8], outgoing: &mut Pipe) -> Result<(), Failure> {
        for body in data.chunks(BODY) {
            let length = (body.len() as u16).to_be_bytes();
            outgoing.put(&[23, 3, 3, length[0], length[1]]);
            outgoing.put(body);
        }
        Ok(())
    }

    fn receive(&mut self, incoming: &mut Pipe, into: &mut [u8]) -> Result<usize, Failure> {
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

    fn facts(&self) -> Result<Facts, Failure> {
        Ok(self.facts)
    }
}

fn main() -> ExitCode {
    shakedown_driver::main::<NoOp>()
}
