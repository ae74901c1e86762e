//! How bytes get into a connection and out of it.

#[cfg(any(io = "payloads", io = "handler"))]
mod append;
mod buffers;
#[cfg(any(io = "streams", io = "input"))]
mod stream;

pub use buffers::Buffers;

use shakedown_driver::{DriverError, Pipe};

/// What the library does with bytes, as [`shakedown_driver::Connection`] says.
pub trait Flow {
    /// What the application keeps for a connection.
    type Buffers: Default;

    /// # Errors
    /// What rustls says.
    fn turn(
        &mut self,
        buffers: &mut Self::Buffers,
        incoming: &mut Pipe,
        outgoing: &mut Pipe,
    ) -> Result<(), DriverError>;

    /// # Errors
    /// What rustls says.
    fn send(&mut self, data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError>;

    /// # Errors
    /// What rustls says.
    fn receive(
        &mut self,
        buffers: &mut Self::Buffers,
        incoming: &mut Pipe,
        into: &mut [u8],
    ) -> Result<usize, DriverError>;
}
