//! The measuring loop that every driver links. A stack implements [`Stack`], [`Endpoints`],
//! [`Worker`] and [`Connection`], and calls [`main`]. All stacks share the rest.
//!
//! Only the library's own work is timed, separately for each endpoint: creating the connection, and
//! every step that consumes incoming bytes and produces outgoing ones. Loading keys, dropping
//! connections, checks and bookkeeping happen outside the timed sections.
//!
//! This crate must not depend on any TLS library, and must not know what a run, a block or a
//! verdict is: it answers one request per process.

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
mod hello;
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
pub use hello::FirstFlight;
pub use measure::measure;
pub use pipe::Pipe;
pub use random::DeterministicRng;
pub use stack::{
    Connection, ConnectionInfo, DriverError, EndpointConfig, Endpoints, Pki, SERVER_NAME, Stack,
    Worker,
};
