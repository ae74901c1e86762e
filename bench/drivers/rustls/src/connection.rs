//! One end of a connection.

use crate::{facts::Tell, io::Flow, signature::Note};
use pki_types::ServerName;
use rustls::{ClientConfig, ServerConfig};
use shakedown_driver::{Connection, ConnectionInfo, DriverError, Pipe};
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
    /// What the client sees on the wire that this rustls does not tell.
    #[cfg(any(told = "nothing", told = "resumption"))]
    wire: Option<shakedown_driver::FirstFlight>,
}

impl TlsEndpoint<Client> {
    /// A client that wants to talk to `name`.
    ///
    /// # Errors
    /// What rustls says.
    #[inline]
    pub fn client(
        config: &Arc<ClientConfig>,
        name: ServerName<'static>,
        note: &'static Note,
    ) -> Result<Self, DriverError> {
        let config = Arc::clone(config);
        #[cfg(client = "new")]
        let (connection, buffers) = (Client::new(config, name)?, Default::default());
        #[cfg(client = "connect")]
        let (connection, buffers) = (config.connect(name).build()?, Default::default());
        #[cfg(client = "connect_into")]
        let (connection, buffers) = {
            let mut hello = Vec::new();
            let connection = config.connect(name).build(&mut hello)?;
            (connection, crate::io::Buffers::with_hello(hello))
        };
        Ok(Self {
            connection,
            buffers,
            note: Some(note),
            #[cfg(any(told = "nothing", told = "resumption"))]
            wire: Some(Default::default()),
        })
    }
}

impl TlsEndpoint<Server> {
    /// A server.
    ///
    /// # Errors
    /// What rustls says.
    #[inline]
    pub fn server(config: &Arc<ServerConfig>) -> Result<Self, DriverError> {
        let connection = Server::new(Arc::clone(config))?;
        Ok(Self {
            connection,
            buffers: Default::default(),
            note: None,
            #[cfg(any(told = "nothing", told = "resumption"))]
            wire: None,
        })
    }
}

impl<C: Flow + Tell> Connection for TlsEndpoint<C> {
    #[inline]
    fn step(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError> {
        #[cfg(any(told = "nothing", told = "resumption"))]
        if let Some(wire) = &mut self.wire {
            wire.look(incoming);
        }
        self.connection.turn(&mut self.buffers, incoming, outgoing)
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
        Ok(ConnectionInfo { peer_signature: self.note.and_then(Note::scheme), ..facts })
    }
}
