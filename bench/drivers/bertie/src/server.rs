//! A server's end of a connection.

use crate::{
    data::EndState,
    record::{self, failure},
    settings::Shared,
};
use bertie::Server;
use rand::rngs::StdRng;
use shakedown_driver::{Connection, ConnectionInfo, DriverError, Pipe};
use shakedown_protocol::TlsVersion;
use std::sync::Arc;

/// A server. It has a state once a client has said hello.
pub struct ServerEnd {
    shared: Arc<Shared>,
    state: EndState<Server>,
    random: StdRng,
    stage: Stage,
}

/// What a server waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Hello,
    Finished,
    Data,
}

impl ServerEnd {
    /// A server that waits for a client.
    #[inline]
    pub fn new(shared: &Arc<Shared>, random: StdRng) -> Self {
        let shared = Arc::clone(shared);
        Self { shared, state: EndState::new(None), random, stage: Stage::Hello }
    }
}

impl Connection for ServerEnd {
    #[inline]
    fn step(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError> {
        while self.is_handshaking()
            && let Some(record) = record::next(incoming)
        {
            if self.stage == Stage::Hello {
                let Shared { algorithms, server, .. } = &*self.shared;
                let (hello, flight, state) =
                    Server::accept(*algorithms, server.clone(), &record, &mut self.random)
                        .map_err(failure("accept"))?;
                record::put(outgoing, &hello);
                record::put(outgoing, &flight);
                self.state.begin(state);
                self.stage = Stage::Finished;
            } else {
                self.stage = Stage::Data;
                self.state.advance(|state| {
                    let state = state.read_handshake(&record);
                    Ok(((), state.map_err(failure("server's handshake"))?))
                })?;
            }
        }
        Ok(())
    }

    #[inline]
    fn is_handshaking(&self) -> bool {
        self.stage != Stage::Data
    }

    #[inline]
    fn send(&mut self, data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError> {
        self.state.send(data, outgoing)
    }

    #[inline]
    fn receive(&mut self, incoming: &mut Pipe, into: &mut [u8]) -> Result<usize, DriverError> {
        self.state.receive(incoming, into)
    }

    /// Bertie tells nothing, but fails if the client does not offer this version and cipher suite.
    fn connection_info(&self) -> Result<ConnectionInfo, DriverError> {
        let (cipher_suite, cipher_suite_name) = self.shared.suite;
        Ok(ConnectionInfo {
            version: TlsVersion::Tls13,
            cipher_suite,
            cipher_suite_name,
            group: None,
            peer_key: None,
            peer_signature: None,
            peer_certificates: None,
            ocsp_response: None,
            early_data: false,
            resumed: None,
        })
    }
}
