//! A client's end of a connection.

use crate::{
    data::EndState,
    record::{self, failure},
    settings::Shared,
};
use bertie::{Client, tls13utils::Bytes};
use rand::rngs::StdRng;
use shakedown_driver::{Connection, ConnectionInfo, DriverError, FirstFlight, Pipe};
use shakedown_protocol::{CertificateKey, TlsVersion};
use std::sync::Arc;

/// A client.
pub struct ClientEnd {
    shared: Arc<Shared>,
    state: EndState<Client>,
    /// What it says first, until it was said.
    hello: Option<Bytes>,
    handshaking: bool,
    flight: FirstFlight,
}

impl ClientEnd {
    /// A client that has its hello ready.
    ///
    /// # Errors
    /// What the library says.
    #[inline]
    pub fn new(shared: &Arc<Shared>, random: &mut StdRng) -> Result<Self, DriverError> {
        let (hello, state) = Client::connect(shared.algorithms, &shared.name, None, None, random)
            .map_err(failure("connect"))?;
        Ok(Self {
            shared: Arc::clone(shared),
            state: EndState::new(Some(state)),
            hello: Some(hello),
            handshaking: true,
            flight: FirstFlight::default(),
        })
    }
}

impl Connection for ClientEnd {
    #[inline]
    fn step(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError> {
        if let Some(hello) = self.hello.take() {
            record::put(outgoing, &hello);
        }
        self.flight.look(incoming);
        while self.handshaking
            && let Some(record) = record::next(incoming)
        {
            let finished = self.state.advance(|state| {
                state.read_handshake(&record).map_err(failure("client's handshake"))
            })?;
            if let Some(finished) = finished {
                record::put(outgoing, &finished);
                self.handshaking = false;
            }
        }
        Ok(())
    }

    #[inline]
    fn is_handshaking(&self) -> bool {
        self.handshaking
    }

    #[inline]
    fn send(&mut self, data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError> {
        self.state.send(data, outgoing)
    }

    #[inline]
    fn receive(&mut self, incoming: &mut Pipe, into: &mut [u8]) -> Result<usize, DriverError> {
        self.state.receive(incoming, into)
    }

    /// Bertie tells nothing, but fails if the server's hello has another version or cipher suite, or if the key
    /// of its certificate is another than P-256. The group and the resumption are read off the wire.
    fn connection_info(&self) -> Result<ConnectionInfo, DriverError> {
        let (cipher_suite, cipher_suite_name) = self.shared.suite;
        Ok(ConnectionInfo {
            version: TlsVersion::Tls13,
            cipher_suite,
            cipher_suite_name,
            group: self.flight.group,
            peer_key: Some(CertificateKey::EcdsaP256),
            peer_signature: Some("ecdsa_secp256r1_sha256"),
            peer_certificates: None,
            ocsp_response: None,
            early_data: false,
            resumed: self.flight.resumed,
        })
    }
}
