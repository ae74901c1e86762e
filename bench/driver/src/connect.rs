//! The in-memory wire between two endpoints, and the handshake over it.

use crate::{
    Connection, DriverError, Pipe, Worker,
    step_meter::{Endpoint, StepMeter},
    wire::WireObserver,
};

/// More steps than any handshake takes; reaching it means that the endpoints are stuck.
const TURNS: u32 = 24;

/// Both directions of the wire. A thread reuses the buffers for all its connections.
#[derive(Debug, Default)]
pub struct Pipes {
    /// From client to server.
    pub to_server: Pipe,
    /// From server to client.
    pub to_client: Pipe,
}

impl Pipes {
    /// Preallocates for the largest handshake flight, or for `write` bytes in records.
    pub fn with_room(write: usize) -> Self {
        // A record is at least 16 KiB of a large write and adds at most 64 bytes to it.
        let room = 32 * 1024 + write + write / 256;
        Self { to_server: Pipe::with_capacity(32 * 1024), to_client: Pipe::with_capacity(room) }
    }

    /// Whether both directions are empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.to_server.is_empty() && self.to_client.is_empty()
    }
}

/// Both endpoints of an established connection.
pub struct EndpointPair<W: Worker> {
    /// The client.
    pub client: W::Client,
    /// The server.
    pub server: W::Server,
}

/// Creates a connection and completes its handshake, including tickets.
///
/// # Errors
/// Returns the library's error, or an error if both endpoints wait for each other.
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
        "the handshake did not complete within {TURNS} steps (client {}, server {})",
        state(client.is_handshaking()),
        state(server.is_handshaking()),
    )))
}

const fn state(handshaking: bool) -> &'static str {
    if handshaking { "waiting" } else { "done" }
}
