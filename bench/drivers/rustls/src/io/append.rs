//! Records are appended to a buffer of the application; plaintext is lent record by record.

use super::{Buffers, Flow};
use crate::connection::{Client, Server};
// A trait in some versions, whose methods are those of connections; an enum in others.
#[cfg(sides = "named")]
#[allow(unused_imports, reason = "see above")]
use rustls::Connection as _;
use shakedown_driver::{DriverError, Pipe};

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
                    buffers.input.read(incoming)?;
                    let (input, left) = (&mut buffers.input, &mut buffers.left);
                    outgoing.append(|tls| read!(self, input, tls).handle_all(left))?;
                }
                Ok(())
            }

            #[inline]
            fn send(&mut self, data: &[u8], outgoing: &mut Pipe) -> Result<(), DriverError> {
                Ok(outgoing.append(|tls| write!(self, data, tls))?)
            }

            #[inline]
            fn receive(
                &mut self,
                buffers: &mut Buffers,
                incoming: &mut Pipe,
                into: &mut [u8],
            ) -> Result<usize, DriverError> {
                let mut have = buffers.left.len().min(into.len());
                into[..have].copy_from_slice(&buffers.left[..have]);
                buffers.left.drain(..have);
                let mut answers = Vec::new();
                while have < into.len() && !incoming.is_empty() {
                    buffers.input.read(incoming)?;
                    let mut handler = read!(self, &mut buffers.input, &mut answers);
                    while let Some(payload) = handler.next_payload() {
                        let payload = payload?;
                        let bytes = payload.bytes();
                        let fits = bytes.len().min(into.len() - have);
                        into[have..have + fits].copy_from_slice(&bytes[..fits]);
                        buffers.left.extend_from_slice(&bytes[fits..]);
                        have += fits;
                    }
                }
                if answers.is_empty() {
                    Ok(have)
                } else {
                    Err(DriverError("reading application data made an answer".to_owned()))
                }
            }
        }
    };
}

#[cfg(io = "payloads")]
macro_rules! read {
    ($tls:expr, $input:expr, $answers:expr) => {
        $tls.process_new_packets($input, $answers)
    };
}
#[cfg(io = "payloads")]
macro_rules! write {
    ($tls:expr, $data:expr, $to:expr) => {
        $tls.write_tls($data.into(), $to)
    };
}

#[cfg(io = "handler")]
macro_rules! read {
    ($tls:expr, $input:expr, $answers:expr) => {
        $tls.read_tls($input, $answers)
    };
}
#[cfg(io = "handler")]
macro_rules! write {
    ($tls:expr, $data:expr, $to:expr) => {
        $tls.write($data.into(), $to)
    };
}

flow!(Client);
flow!(Server);
