//! What a forge is told and asked: comments, check runs, statuses and issues on GitHub, or on
//! one with the same interface; and how an artifact of a stranger is taken in.
//!
//! Nothing here knows how a verdict comes about. Requests go through [`Forge`], which repeats
//! what failed for a passing reason; everything that is written is written so that doing it
//! twice, or from two places at once, ends in the same state as doing it once.

pub mod artifact;
pub mod authorize;
pub mod check;
mod client;
pub mod comment;
mod error;
pub mod event;
#[cfg(feature = "fake")]
pub mod fake;
pub mod intake;
pub mod issue;
mod marker;
mod options;
pub mod pull;
mod retry;
pub mod status;
mod transport;

pub use client::Forge;
pub use error::ForgeError;
pub use marker::{Key, KeyError, Stamp};
pub use options::{Options, Pause, Repo, Token};
