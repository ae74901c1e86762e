//! One end of a connection.

use crate::verifier::{Noting, key_of};
use rustls::{
    ClientConnection, ConnectionCommon, HandshakeKind, ProtocolVersion, ServerConnection, SideData,
};
use shakedown_driver::{Connection, ConnectionInfo, DriverError, Pipe, iana};
use shakedown_protocol::TlsVersion;
use std::{
    io::{ErrorKind, Read, Write},
    ops::{Deref, DerefMut},
    sync::Arc,
};

/// A client or a server.
pub struct Endpoint<C> {
    connection: C,
    /// The client's verifier, which noted the server's signature.
    verifier: Option<Arc<Noting>>,
}

impl<C> Endpoint<C> {
    /// Wraps a connection.
    pub const fn new(connection: C, verifier: Option<Arc<Noting>>) -> Self {
        Self { connection, verifier }
    }
}

impl Connection for Endpoint<ClientConnection> {
    #[inline]
    fn step(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError> {
        step(&mut self.connection, incoming, outgoing)
    }

    fn is_handshaking(&self) -> bool {
        self.connection.is_handshaking()
    }

    #[inline]
    fn send(&mut self, data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError> {
        send(&mut self.connection, data, outgoing)
    }

    #[inline]
    fn receive(&mut self, incoming: &mut Pipe, into: &mut [u8]) -> Result<usize, DriverError> {
        receive(&mut self.connection, incoming, into)
    }

    fn connection_info(&self) -> Result<ConnectionInfo, DriverError> {
        connection_info(&self.connection, self.verifier.as_deref())
    }
}

impl Connection for Endpoint<ServerConnection> {
    #[inline]
    fn step(&mut self, incoming: &mut Pipe, outgoing: &mut Pipe) -> Result<(), DriverError> {
        step(&mut self.connection, incoming, outgoing)
    }

    fn is_handshaking(&self) -> bool {
        self.connection.is_handshaking()
    }

    #[inline]
    fn send(&mut self, data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError> {
        send(&mut self.connection, data, outgoing)
    }

    #[inline]
    fn receive(&mut self, incoming: &mut Pipe, into: &mut [u8]) -> Result<usize, DriverError> {
        receive(&mut self.connection, incoming, into)
    }

    fn connection_info(&self) -> Result<ConnectionInfo, DriverError> {
        connection_info(&self.connection, self.verifier.as_deref())
    }
}

type Common<S> = ConnectionCommon<S>;

#[inline]
fn step<S: SideData, C: DerefMut<Target = Common<S>>>(
    connection: &mut C,
    incoming: &mut Pipe,
    outgoing: &mut Pipe,
) -> Result<(), DriverError> {
    while !incoming.is_empty() {
        connection.read_tls(incoming)?;
        connection.process_new_packets()?;
    }
    flush(connection, outgoing)
}

#[inline]
fn flush<S: SideData, C: DerefMut<Target = Common<S>>>(
    connection: &mut C,
    outgoing: &mut Pipe,
) -> Result<(), DriverError> {
    while connection.wants_write() {
        connection.write_tls(outgoing)?;
    }
    Ok(())
}

/// Hands over as much as the library's buffer takes (64 KiB by default), lets it out, and
/// goes on: what an application does whose socket takes everything.
#[inline]
fn send<S: SideData, C: DerefMut<Target = Common<S>>>(
    connection: &mut C,
    mut data: &[u8],
    outgoing: &mut Pipe,
) -> Result<(), DriverError> {
    while !data.is_empty() {
        let taken = connection.writer().write(data)?;
        data = &data[taken..];
        flush(connection, outgoing)?;
    }
    Ok(())
}

#[inline]
fn receive<S: SideData, C: DerefMut<Target = Common<S>>>(
    connection: &mut C,
    incoming: &mut Pipe,
    into: &mut [u8],
) -> Result<usize, DriverError> {
    let mut have = 0;
    loop {
        while have < into.len() {
            match connection.reader().read(&mut into[have..]) {
                Ok(0) => return Err(DriverError("the peer closed the connection".to_owned())),
                Ok(more) => have += more,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            }
        }
        if have == into.len() || incoming.is_empty() {
            return Ok(have);
        }
        connection.read_tls(incoming)?;
        connection.process_new_packets()?;
    }
}

fn connection_info<S: SideData, C: Deref<Target = Common<S>>>(
    connection: &C,
    verifier: Option<&Noting>,
) -> Result<ConnectionInfo, DriverError> {
    let none =
        |what: &str| DriverError(format!("no {what} was negotiated, or one without a name here"));
    let version = match connection.protocol_version() {
        Some(ProtocolVersion::TLSv1_2) => TlsVersion::Tls12,
        Some(ProtocolVersion::TLSv1_3) => TlsVersion::Tls13,
        _ => return Err(none("version")),
    };
    let suite =
        connection.negotiated_cipher_suite().and_then(|suite| iana::suite(suite.suite().into()));
    let (suite, suite_name) = suite.ok_or_else(|| none("suite"))?;
    let group = match connection.negotiated_key_exchange_group() {
        Some(group) => Some(iana::group(group.name().into()).ok_or_else(|| none("group"))?),
        None => None,
    };
    let peer = connection.peer_certificates().and_then(|chain| chain.first());
    Ok(ConnectionInfo {
        version,
        suite,
        suite_name,
        group,
        peer_key: peer.map(key_of).transpose()?,
        peer_signature: verifier.and_then(Noting::scheme),
        resumed: connection.handshake_kind() == Some(HandshakeKind::Resumed),
    })
}
