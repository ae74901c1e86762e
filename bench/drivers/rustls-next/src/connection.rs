//! One end of a connection.

use crate::verifier::{Noting, key_of};
use rustls::{
    ClientConfig, ClientSide, Connection as Tls, HandshakeKind, ServerConfig, ServerSide, SideData,
    Tcp, VecInput, enums::ProtocolVersion, pki_types::ServerName,
};
use shakedown_driver::{Connection, ConnectionInfo, DriverError, Pipe, iana};
use shakedown_protocol::TlsVersion;
use std::{ops::Deref, sync::Arc};

/// A client or a server.
pub struct Endpoint<S: SideData> {
    connection: Tls<S, Tcp>,
    /// What arrived and is not yet a whole record.
    input: VecInput,
    /// What the client said when it was made, before there was a pipe to say it into.
    hello: Vec<u8>,
    /// Application data that did not fit where the application wanted it.
    left: Vec<u8>,
    /// The client's verifier, which noted the server's signature.
    verifier: Option<Arc<Noting>>,
}

impl Endpoint<ClientSide> {
    /// A client that wants to talk to `name`.
    ///
    /// # Errors
    /// What rustls says.
    #[inline]
    pub fn client(
        config: &Arc<ClientConfig>,
        name: ServerName<'static>,
        verifier: Arc<Noting>,
    ) -> Result<Self, DriverError> {
        let mut hello = Vec::new();
        let connection = config.connect(name).build(&mut hello)?;
        Ok(Self::new(connection, hello, Some(verifier)))
    }
}

impl Endpoint<ServerSide> {
    /// A server.
    ///
    /// # Errors
    /// What rustls says.
    #[inline]
    pub fn server(config: &Arc<ServerConfig>) -> Result<Self, DriverError> {
        Ok(Self::new(Tls::<ServerSide, Tcp>::new(Arc::clone(config))?, Vec::new(), None))
    }
}

impl<S: SideData> Endpoint<S> {
    #[inline]
    fn new(connection: Tls<S, Tcp>, hello: Vec<u8>, verifier: Option<Arc<Noting>>) -> Self {
        Self { connection, input: VecInput::default(), hello, left: Vec::new(), verifier }
    }
}

impl<S: SideData> Connection for Endpoint<S> {
    #[inline]
    fn step(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError> {
        if !self.hello.is_empty() {
            outgoing.put(&self.hello);
            self.hello = Vec::new();
        }
        while !incoming.is_empty() {
            self.input.read(incoming)?;
            let (connection, input, left) = (&mut self.connection, &mut self.input, &mut self.left);
            outgoing.append(|tls| connection.read_tls(input, tls).handle_all(left))?;
        }
        Ok(())
    }

    fn is_handshaking(&self) -> bool {
        self.connection.is_handshaking()
    }

    #[inline]
    fn send(&mut self, data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError> {
        Ok(outgoing.append(|tls| self.connection.write(data.into(), tls))?)
    }

    #[inline]
    fn receive(&mut self, incoming: &mut Pipe, into: &mut [u8]) -> Result<usize, DriverError> {
        let mut have = self.left.len().min(into.len());
        into[..have].copy_from_slice(&self.left[..have]);
        self.left.drain(..have);
        let mut answers = Vec::new();
        while have < into.len() && !incoming.is_empty() {
            self.input.read(incoming)?;
            let mut handler = self.connection.read_tls(&mut self.input, &mut answers);
            while let Some(payload) = handler.next_payload() {
                let payload = payload?;
                let bytes = payload.bytes();
                let fits = bytes.len().min(into.len() - have);
                into[have..have + fits].copy_from_slice(&bytes[..fits]);
                self.left.extend_from_slice(&bytes[fits..]);
                have += fits;
            }
        }
        if answers.is_empty() {
            Ok(have)
        } else {
            Err(DriverError("reading application data made an answer".to_owned()))
        }
    }

    fn connection_info(&self) -> Result<ConnectionInfo, DriverError> {
        let connection = self.connection.deref().deref();
        let none = |what: &str| {
            DriverError(format!("no {what} was negotiated, or one without a name here"))
        };
        let version = match connection.protocol_version() {
            Some(ProtocolVersion::TLSv1_2) => TlsVersion::Tls12,
            Some(ProtocolVersion::TLSv1_3) => TlsVersion::Tls13,
            _ => return Err(none("version")),
        };
        let suite = connection.negotiated_cipher_suite();
        let suite = suite.and_then(|suite| iana::suite(suite.suite().into()));
        let (suite, suite_name) = suite.ok_or_else(|| none("suite"))?;
        let group = match connection.negotiated_key_exchange_group() {
            Some(group) => Some(iana::group(group.name().into()).ok_or_else(|| none("group"))?),
            None => None,
        };
        Ok(ConnectionInfo {
            version,
            suite,
            suite_name,
            group,
            peer_key: connection.peer_identity().map(|peer| key_of(peer)).transpose()?,
            peer_signature: self.verifier.as_deref().and_then(Noting::scheme),
            resumed: connection.handshake_kind() == Some(HandshakeKind::Resumed),
        })
    }
}
