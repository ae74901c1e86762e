//! The workflows, run by act on this machine with the real command and a real, tiny stack. The
//! actions of others are stand-ins of a few lines (`tests/act/actions`), the API is a fake that
//! remembers what it was told.
//!
//! `scripts/test` calls this: act must be there, and a build takes part.

mod ci;
mod compare;
mod cross_check;
mod night;
mod payload;
mod pull_request;
mod queue;
mod release;
mod requests;
mod signoff;
mod world;

/// One more allocation in each flight of a handshake: file, text, and what takes its place.
const SLOW: [&str; 3] = [
    "bench/drivers/noop/src/main.rs",
    "            self.steps -= 1;",
    "            self.steps -= 1;\n            std::hint::black_box(vec![0_u8; 4096]);",
];

/// The one scenario of the tiny suite.
const FULL: &str = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
