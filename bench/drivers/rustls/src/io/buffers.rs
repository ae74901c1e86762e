//! What the application keeps for a connection.

use shakedown_driver::Pipe;

/// Data of one connection between two calls of the library.
#[derive(Default)]
pub struct Buffers {
    /// Bytes that arrived and are not yet a whole record.
    #[cfg(not(io = "streams"))]
    pub(super) input: rustls::VecInput,
    /// The client's first flight, which the library makes before there is a pipe.
    #[cfg(client = "connect_into")]
    hello: Vec<u8>,
    /// Application data that did not fit into the caller's buffer.
    #[cfg(any(io = "payloads", io = "handler"))]
    pub(super) left: Vec<u8>,
}

impl Buffers {
    /// Buffers with the client's first flight.
    #[cfg(client = "connect_into")]
    pub fn with_hello(hello: Vec<u8>) -> Self {
        Self { hello, ..Self::default() }
    }

    /// Puts the first flight into the pipe, the first time.
    #[cfg(client = "connect_into")]
    #[inline]
    pub(super) fn put_hello(&mut self, outgoing: &mut Pipe) {
        if !self.hello.is_empty() {
            outgoing.put(&std::mem::take(&mut self.hello));
        }
    }

    /// The library sends the first flight itself.
    #[cfg(not(client = "connect_into"))]
    #[inline]
    pub(super) fn put_hello(&mut self, _: &mut Pipe) {}
}
