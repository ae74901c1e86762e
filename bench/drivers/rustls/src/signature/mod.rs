//! Which signature scheme the server used, and whether it stapled an OCSP response. rustls does not tell, so
//! the check of them leaves a note.

#[cfg(signature = "mapping")]
mod mapping;
#[cfg(all(signature = "mapping", ocsp = "always"))]
mod responses;
#[cfg(any(signature = "verifier", signature = "verifier_of_identity"))]
mod verifier;

#[cfg(signature = "mapping")]
pub use mapping::noting;
#[cfg(signature = "mapping")]
pub(crate) use mapping::verify;
#[cfg(all(signature = "mapping", ocsp = "always"))]
pub use responses::NotingResponse;
#[cfg(any(signature = "verifier", signature = "verifier_of_identity"))]
pub(crate) use verifier::verify;
#[cfg(any(signature = "verifier", signature = "verifier_of_identity"))]
pub use verifier::{Noting, noting};

use shakedown_driver::iana;
use std::sync::atomic::{AtomicU8, AtomicU16, Ordering::Relaxed};

/// What the last verification of a server saw. One worker's connections share it.
#[derive(Debug)]
pub struct Note {
    /// The signature's, or 0.
    scheme: AtomicU16,
    /// [`UNSEEN`] until a verifier looks.
    response: AtomicU8,
}

/// Of a note's response: no verifier has looked, there was none, and there was one.
const UNSEEN: u8 = 0;
const NONE: u8 = 1;
const STAPLED: u8 = 2;

impl Note {
    /// A note of nothing. A worker needs one, which lives as long as the process.
    pub fn new() -> &'static Self {
        let (scheme, response) = (AtomicU16::new(0), AtomicU8::new(UNSEEN));
        Box::leak(Box::new(Self { scheme, response }))
    }

    /// IANA name of the scheme.
    pub fn scheme(&self) -> Option<&'static str> {
        iana::signature(self.scheme.load(Relaxed))
    }

    /// Whether the server stapled an OCSP response, if a verifier looked.
    pub fn ocsp_response(&self) -> Option<bool> {
        match self.response.load(Relaxed) {
            UNSEEN => None,
            seen => Some(seen == STAPLED),
        }
    }

    fn put(&self, scheme: u16) {
        self.scheme.store(scheme, Relaxed);
    }

    #[allow(dead_code, reason = "not every revision has a verifier that sees responses")]
    fn put_response(&self, response: &[u8]) {
        self.response.store(if response.is_empty() { NONE } else { STAPLED }, Relaxed);
    }
}
