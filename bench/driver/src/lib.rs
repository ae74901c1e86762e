//! What every driver links. A stack implements [`Stack`], [`Ends`], [`Worker`] and
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
mod count;
mod cpu;
mod gauge;
mod handshake;
mod heap;
pub mod iana;
mod instructions;
mod lane;
mod latency;
mod measure;
mod memory;
mod pipe;
mod random;
mod stack;
mod threads;
mod wire;

pub use command::main;
pub use cpu::cpu_features;
pub use measure::measure;
pub use pipe::Pipe;
pub use random::Repeatable;
pub use stack::{Connection, Ends, Facts, Failure, Pki, SERVER_NAME, Setup, Stack, Worker};
