//! Two ends and the wire between them.

use crate::{
    Connection, Failure, Pipe, Worker,
    check::Checker,
    gauge::{End, Gauge},
    wire::Tally,
};
use shakedown_protocol::{Refusal, Wire};

/// One thread's way through a scenario, one operation after the other.
pub trait Lane<'a> {
    /// One operation whose wire is counted, and nothing else.
    ///
    /// # Errors
    /// Those of the operation and of its check.
    fn look(&mut self) -> Result<Wire, Refusal>;

    /// One operation under a gauge; returns the application bytes that crossed.
    ///
    /// # Errors
    /// Those of the operation and of its check.
    fn once(&mut self, gauge: &mut impl Gauge) -> Result<u64, Refusal>;

    /// What all connections negotiated.
    fn into_checker(self) -> Checker<'a>;
}

/// More turns than any handshake takes: a handshake that needs them goes in circles.
const TURNS: u32 = 24;

/// Both directions of the wire. The buffers serve all connections of a thread, one after
/// the other.
#[derive(Debug, Default)]
pub struct Pipes {
    /// From client to server.
    pub up: Pipe,
    /// From server to client.
    pub down: Pipe,
}

impl Pipes {
    /// Room for the largest flight of a handshake, or for `write` bytes as records.
    pub fn with_room(write: usize) -> Self {
        // A record is at least 16 KiB of a large write and adds at most 64 bytes to it.
        let room = 32 * 1024 + write + write / 256;
        Self { up: Pipe::with_capacity(32 * 1024), down: Pipe::with_capacity(room) }
    }

    /// Whether nothing is on its way.
    #[inline]
    pub fn is_quiet(&self) -> bool {
        self.up.is_empty() && self.down.is_empty()
    }
}

/// Both ends of a connection whose handshake is over.
pub struct Pair<W: Worker> {
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
pub fn connect<W: Worker, G: Gauge>(
    worker: &mut W,
    pipes: &mut Pipes,
    gauge: &mut G,
    tally: &mut impl Tally,
) -> Result<Pair<W>, Failure> {
    gauge.start(End::Client);
    let mut client = worker.client()?;
    client.turn(&mut pipes.down, &mut pipes.up)?;
    gauge.switch(End::Server);
    tally.client(&pipes.up);
    let mut server = worker.server()?;
    server.turn(&mut pipes.up, &mut pipes.down)?;
    tally.server(&pipes.down);
    for _ in 0..TURNS {
        gauge.switch(End::Client);
        client.turn(&mut pipes.down, &mut pipes.up)?;
        tally.client(&pipes.up);
        if pipes.is_quiet() && !client.handshaking() && !server.handshaking() {
            gauge.stop();
            return Ok(Pair { client, server });
        }
        gauge.switch(End::Server);
        server.turn(&mut pipes.up, &mut pipes.down)?;
        tally.server(&pipes.down);
        if pipes.is_quiet() && !client.handshaking() && !server.handshaking() {
            gauge.stop();
            return Ok(Pair { client, server });
        }
    }
    gauge.stop();
    Err(Failure(format!(
        "the handshake did not end within {TURNS} turns (client {}, server {})",
        state(client.handshaking()),
        state(server.handshaking()),
    )))
}

const fn state(handshaking: bool) -> &'static str {
    if handshaking { "waits" } else { "is done" }
}
