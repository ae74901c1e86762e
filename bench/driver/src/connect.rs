//! The in-memory wire between two endpoints, and the handshake over it.

use crate::{
    Connection, DriverError, Pipe, Worker,
    step_meter::{Endpoint, StepMeter},
    wire::WireObserver,
};

/// More turns than any handshake takes: a handshake that needs them goes in circles.
const TURNS: u32 = 24;

/// Both directions of the wire. The buffers serve all connections of a thread, one after
/// the other.
#[derive(Debug, Default)]
pub struct Pipes {
    /// From client to server.
    pub to_server: Pipe,
    /// From server to client.
    pub to_client: Pipe,
}

impl Pipes {
    /// Room for the largest flight of a handshake, or for `write` bytes as records.
    pub fn with_room(write: usize) -> Self {
        // A record is at least 16 KiB of a large write and adds at most 64 bytes to it.
        let room = 32 * 1024 + write + write / 256;
        Self { to_server: Pipe::with_capacity(32 * 1024), to_client: Pipe::with_capacity(room) }
    }

    /// Whether nothing is on its way.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.to_server.is_empty() && self.to_client.is_empty()
    }
}

/// Both ends of a connection whose handshake is over.
pub struct EndpointPair<W: Worker> {
    /// The client's end.
    pub client: W::Client,
    /// The server's end.
    pub server: W::Server,
}

/// Makes a connection and takes it through the handshake, tickets included.
///
/// # Errors
/// What the library says, or that both ends wait for each other.
#[inline]
pub fn connect<W: Worker, G: StepMeter>(
    worker: &mut W,
    pipes: &mut Pipes,
    meter: &mut G,
    observer: &mut impl WireObserver,
) -> Result<EndpointPair<W>, DriverError> {
    meter.start(Endpoint::Client);
    let mut client = worker.new_client()?;
    client.step(&mut pipes.to_client, &mut pipes.to_server)?;
    meter.switch(Endpoint::Server);
    observer.client(&pipes.to_server);
    let mut server = worker.new_server()?;
    server.step(&mut pipes.to_server, &mut pipes.to_client)?;
    observer.server(&pipes.to_client);
    for _ in 0..TURNS {
        meter.switch(Endpoint::Client);
        client.step(&mut pipes.to_client, &mut pipes.to_server)?;
        observer.client(&pipes.to_server);
        if pipes.is_empty() && !client.is_handshaking() && !server.is_handshaking() {
            meter.stop();
            return Ok(EndpointPair { client, server });
        }
        meter.switch(Endpoint::Server);
        server.step(&mut pipes.to_server, &mut pipes.to_client)?;
        observer.server(&pipes.to_client);
        if pipes.is_empty() && !client.is_handshaking() && !server.is_handshaking() {
            meter.stop();
            return Ok(EndpointPair { client, server });
        }
    }
    meter.stop();
    Err(DriverError(format!(
        "the handshake did not end within {TURNS} turns (client {}, server {})",
        state(client.is_handshaking()),
        state(server.is_handshaking()),
    )))
}

const fn state(handshaking: bool) -> &'static str {
    if handshaking { "waits" } else { "is done" }
}
