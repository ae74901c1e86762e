//! The measuring loop that every driver links. A stack implements [`Stack`], [`Endpoints`],
//! [`Worker`] and [`Connection`], and calls [`main`]. All stacks share the rest. A driver that measures
//! by other means calls [`serve`].
//!
//! Only the library's own work is timed, separately for each endpoint: creating the connection, and
//! every step that consumes incoming bytes and produces outgoing ones. Loading keys, dropping
//! connections, checks and bookkeeping happen outside the timed sections.
//!
//! Below TLS, a primitive is one piece of work without a peer, behind
//! [`PrimitiveOperation`](primitive::PrimitiveOperation). What is read before the first connection is
//! behind [`LoadOperation`](load::LoadOperation).
//!
//! This crate must not depend on any TLS library, and must not know what a run, a block or a
//! verdict is: it answers one request per process.

mod batch;
mod bulk;
mod check;
mod clock;
mod command;
mod connect;
mod connections;
mod count;
mod cpu;
mod early_data;
mod error;
mod groups;
mod handshake;
mod heap;
mod hello;
pub mod iana;
mod instructions;
mod latency;
pub mod load;
mod locked;
mod locks;
mod measure;
mod memory;
mod operations;
mod pipe;
mod pki;
mod preloaded;
pub mod primitive;
mod random;
mod session_store;
mod setup;
mod stack;
mod step_meter;
mod threads;
mod transcript;
mod wire;
mod workload;

pub use command::{main, serve};
pub use cpu::cpu_features;
pub use early_data::{EARLY_DATA, ReceivedEarlyData};
pub use error::DriverError;
pub use groups::groups;
pub use hello::FirstFlight;
pub use latency::Recorder;
pub use locked::locked_version;
pub use pipe::Pipe;
pub use pki::{Pki, c_path};
pub use random::DeterministicRng;
pub use session_store::SessionStore;
pub use stack::{
    Connection, ConnectionInfo, EndpointConfig, Endpoints, SERVER_NAME, Stack, Worker,
};
