//! What every driver links. A stack implements [`Stack`], [`Endpoints`], [`Worker`] and
//! [`Connection`], and calls [`main`]; the measuring is the same for all of them.
//!
//! What is timed is the library's own work, each end apart: making the connection, and
//! every turn in which it consumes what arrived and produces what leaves. Loading keys,
//! tearing connections down, checking and book-keeping happen between the timed parts.

mod batch;
mod bulk;
mod check;
mod clock;
mod command;
mod connect;
mod count;
mod cpu;
mod handshake;
mod heap;
pub mod iana;
mod instructions;
mod latency;
mod measure;
mod memory;
mod pipe;
mod random;
mod stack;
mod step_meter;
mod threads;
mod wire;
mod workload;

pub use command::main;
pub use cpu::cpu_features;
pub use measure::measure;
pub use pipe::Pipe;
pub use random::DeterministicRng;
pub use stack::{
    Connection, ConnectionInfo, DriverError, EndpointConfig, Endpoints, Pki, SERVER_NAME, Stack,
    Worker,
};
