//! A server's end of a connection.

use crate::{
    record::{self, Arrived, failure, gone},
    settings::Shared,
};
use bertie::{Server, tls13utils::AppData};
use rand::rngs::StdRng;
use shakedown_driver::{Connection, ConnectionInfo, DriverError, Pipe};
use shakedown_protocol::TlsVersion;
use std::sync::Arc;

/// A server. It has a state once a client has said hello.
pub struct ServerEnd {
    shared: Arc<Shared>,
    state: Option<Server>,
    random: StdRng,
    stage: Stage,
    arrived: Arrived,
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
        Self { shared, state: None, random, stage: Stage::Hello, arrived: Arrived::default() }
    }
}

impl Connection for ServerEnd {
    #[inline]
    fn step(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError> {
        while self.is_handshaking()
            && let Some(record) = record::next(incoming)
        {
            self.state = Some(if self.stage == Stage::Hello {
                let Shared { algorithms, server, .. } = &*self.shared;
                let (hello, flight, state) =
                    Server::accept(*algorithms, server.clone(), &record, &mut self.random)
                        .map_err(failure("accept"))?;
                record::put(outgoing, &hello);
                record::put(outgoing, &flight);
                self.stage = Stage::Finished;
                state
            } else {
                let state = self.state.take().ok_or_else(gone)?;
                self.stage = Stage::Data;
                state.read_handshake(&record).map_err(failure("server's handshake"))?
            });
        }
        Ok(())
    }

    #[inline]
    fn is_handshaking(&self) -> bool {
        self.stage != Stage::Data
    }

    #[inline]
    fn send(&mut self, data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError> {
        for part in data.chunks(record::LARGEST) {
            let state = self.state.take().ok_or_else(gone)?;
            let (record, state) =
                state.write(AppData::new(part.into())).map_err(failure("server's write"))?;
            self.state = Some(state);
            record::put(outgoing, &record);
        }
        Ok(())
    }

    #[inline]
    fn receive(&mut self, incoming: &mut Pipe, into: &mut [u8]) -> Result<usize, DriverError> {
        self.arrived.receive(incoming, into, |record| {
            let state = self.state.take().ok_or_else(gone)?;
            let (data, state) = state.read(record).map_err(failure("server's read"))?;
            self.state = Some(state);
            Ok(data.map(AppData::into_raw))
        })
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
