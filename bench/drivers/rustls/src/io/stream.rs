//! `reader()` and `writer()`: the connection keeps plaintext and records in its own buffers.

use super::{Buffers, Flow};
use crate::connection::{Client, Server};
// A trait in some versions, whose methods are those of connections; an enum in others.
#[cfg(sides = "named")]
#[allow(unused_imports, reason = "see above")]
use rustls::Connection as _;
use shakedown_driver::{DriverError, Pipe};
use std::io::{ErrorKind, Read, Write};

macro_rules! flow {
    ($tls:ty) => {
        impl Flow for $tls {
            type Buffers = Buffers;

            #[inline]
            fn turn(
                &mut self,
                buffers: &mut Buffers,
                incoming: &mut Pipe,
                outgoing: &mut Pipe,
            ) -> Result<(), DriverError> {
                buffers.put_hello(outgoing);
                while !incoming.is_empty() {
                    process!(self, buffers, incoming);
                }
                while self.wants_write() {
                    self.write_tls(outgoing)?;
                }
                Ok(())
            }

            /// Hands over as much as the library's buffer takes (64 KiB by default), lets it
            /// out, and goes on: what an application does whose socket takes everything.
            #[inline]
            fn send(&mut self, mut data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError> {
                while !data.is_empty() {
                    let taken = self.writer().write(data)?;
                    data = &data[taken..];
                    while self.wants_write() {
                        self.write_tls(outgoing)?;
                    }
                }
                Ok(())
            }

            #[inline]
            fn receive(
                &mut self,
                buffers: &mut Buffers,
                incoming: &mut Pipe,
                into: &mut [u8],
            ) -> Result<usize, DriverError> {
                let mut have = 0;
                loop {
                    while have < into.len() {
                        match self.reader().read(&mut into[have..]) {
                            Ok(0) => {
                                return Err(DriverError(
                                    "the peer closed the connection".to_owned(),
                                ));
                            }
                            Ok(more) => have += more,
                            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                            Err(error) => return Err(error.into()),
                        }
                    }
                    if have == into.len() || incoming.is_empty() {
                        return Ok(have);
                    }
                    process!(self, buffers, incoming);
                }
            }
        }
    };
}

#[cfg(io = "streams")]
macro_rules! process {
    ($tls:expr, $buffers:expr, $incoming:expr) => {{
        let _ = &$buffers;
        $tls.read_tls($incoming)?;
        $tls.process_new_packets()?;
    }};
}

#[cfg(io = "input")]
macro_rules! process {
    ($tls:expr, $buffers:expr, $incoming:expr) => {{
        $buffers.input.read($incoming)?;
        $tls.process_new_packets(&mut $buffers.input)?;
    }};
}

flow!(Client);
flow!(Server);
