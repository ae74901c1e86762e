//! One end of a connection.

use crate::{
    early_data::{self, EarlyData, EndOfEarlyData},
    facts::Tell,
    io::Flow,
    signature::Note,
};
use pki_types::ServerName;
use rustls::{ClientConfig, ServerConfig};
use shakedown_driver::{Connection, ConnectionInfo, DriverError, Pipe, ReceivedEarlyData};
use std::sync::Arc;

#[cfg(sides = "named")]
pub use rustls::{ClientConnection as Client, ServerConnection as Server};

/// The client's end.
#[cfg(sides = "generic")]
pub type Client = rustls::Connection<rustls::ClientSide, rustls::Tcp>;
/// The server's end.
#[cfg(sides = "generic")]
pub type Server = rustls::Connection<rustls::ServerSide, rustls::Tcp>;

/// A client or a server.
pub struct TlsEndpoint<C: Flow> {
    connection: C,
    buffers: C::Buffers,
    /// Where the client's signature check leaves the scheme.
    note: Option<&'static Note>,
    /// In scenarios with early data, where there is a session to send it with.
    early: Option<EarlyData>,
    /// What the client sees on the wire that this rustls does not tell.
    #[cfg(any(told = "nothing", told = "resumption"))]
    wire: Option<shakedown_driver::FirstFlight>,
}

impl TlsEndpoint<Client> {
    /// A client that wants to talk to `name`, and sends early data if `sends` and if it can.
    ///
    /// # Errors
    /// What rustls says.
    #[inline]
    pub fn client(
        config: &Arc<ClientConfig>,
        name: ServerName<'static>,
        note: &'static Note,
        sends: bool,
    ) -> Result<Self, DriverError> {
        let config = Arc::clone(config);
        #[cfg(client = "new")]
        let (mut connection, mut hello) = (Client::new(config, name)?, Vec::new());
        #[cfg(client = "connect")]
        let (mut connection, mut hello) = (config.connect(name).build()?, Vec::new());
        #[cfg(client = "connect_into")]
        let (mut connection, mut hello) = {
            let mut hello = Vec::new();
            (config.connect(name).build(&mut hello)?, hello)
        };
        let early = if sends { early_data::send(&mut connection, &mut hello)? } else { None };
        Ok(Self {
            connection,
            #[cfg(client = "connect_into")]
            buffers: crate::io::Buffers::with_hello(hello),
            #[cfg(not(client = "connect_into"))]
            buffers: Default::default(),
            note: Some(note),
            early,
            #[cfg(any(told = "nothing", told = "resumption"))]
            wire: Some(Default::default()),
        })
    }
}

impl TlsEndpoint<Server> {
    /// A server, which expects early data if `receives`.
    ///
    /// # Errors
    /// What rustls says.
    #[inline]
    pub fn server(config: &Arc<ServerConfig>, receives: bool) -> Result<Self, DriverError> {
        let connection = Server::new(Arc::clone(config))?;
        Ok(Self {
            connection,
            buffers: Default::default(),
            note: None,
            early: receives.then(|| EarlyData::Received(Box::<ReceivedEarlyData>::default())),
            #[cfg(any(told = "nothing", told = "resumption"))]
            wire: None,
        })
    }
}

impl<C: Flow + Tell + EndOfEarlyData> Connection for TlsEndpoint<C> {
    #[inline]
    fn step(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError> {
        #[cfg(any(told = "nothing", told = "resumption"))]
        if let Some(wire) = &mut self.wire {
            wire.look(incoming);
        }
        self.connection.turn(&mut self.buffers, incoming, outgoing)?;
        match &mut self.early {
            Some(EarlyData::Received(received)) => self.connection.receive_early(received),
            Some(EarlyData::Sent) | None => Ok(()),
        }
    }

    fn is_handshaking(&self) -> bool {
        self.connection.in_handshake()
    }

    #[inline]
    fn send(&mut self, data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError> {
        self.connection.send(data, outgoing)
    }

    #[inline]
    fn receive(&mut self, incoming: &mut Pipe, into: &mut [u8]) -> Result<usize, DriverError> {
        self.connection.receive(&mut self.buffers, incoming, into)
    }

    fn connection_info(&self) -> Result<ConnectionInfo, DriverError> {
        let facts = self.connection.tell()?;
        #[cfg(any(told = "nothing", told = "resumption"))]
        let facts = match self.wire {
            Some(wire) => ConnectionInfo {
                resumed: facts.resumed.or(wire.resumed),
                group: facts.group.or(wire.group),
                ..facts
            },
            None => facts,
        };
        Ok(ConnectionInfo {
            peer_signature: self.note.and_then(Note::scheme),
            ocsp_response: self.note.and_then(Note::ocsp_response),
            early_data: match &self.early {
                Some(EarlyData::Received(received)) => received.is_whole(),
                Some(EarlyData::Sent) => self.connection.is_early_accepted(),
                None => false,
            },
            ..facts
        })
    }
}
