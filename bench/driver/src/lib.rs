//! What every driver links. A stack implements [`Stack`], [`Ends`], [`Worker`] and
//! [`Connection`], and calls [`main`]; the measuring is the same for all of them.
//!
//! What is timed is the library's own work, each end apart: making the connection, and
//! every turn in which it consumes what arrived and produces what leaves. Loading keys,
//! tearing connections down, checking and book-keeping happen between the timed parts.

mod pipe;
mod stack;

pub use pipe::Pipe;
pub use stack::{Connection, Ends, Facts, Failure, Pki, Setup, Stack, Worker};
