//! Which signature scheme the server used. rustls does not tell, so the check of the
//! signature leaves a note.

#[cfg(signature = "mapping")]
mod mapping;
#[cfg(any(signature = "verifier", signature = "verifier_of_identity"))]
mod verifier;

#[cfg(signature = "mapping")]
pub use mapping::noting;
#[cfg(signature = "mapping")]
pub(crate) use mapping::verify;
#[cfg(any(signature = "verifier", signature = "verifier_of_identity"))]
pub(crate) use verifier::verify;
#[cfg(any(signature = "verifier", signature = "verifier_of_identity"))]
pub use verifier::{Noting, noting};

use shakedown_driver::iana;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

/// The scheme of the last signature that was verified. One worker's connections share it.
#[derive(Debug)]
pub struct Note(AtomicU16);

impl Note {
    /// A note without a scheme. A worker needs one, which lives as long as the process.
    pub fn new() -> &'static Self {
        Box::leak(Box::new(Self(AtomicU16::new(0))))
    }

    /// IANA name of the scheme.
    pub fn scheme(&self) -> Option<&'static str> {
        iana::signature(self.0.load(Relaxed))
    }

    fn put(&self, scheme: u16) {
        self.0.store(scheme, Relaxed);
    }
}
