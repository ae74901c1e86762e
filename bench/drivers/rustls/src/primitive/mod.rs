//! Primitives of the provider, through its crate's own interface: the two are nearly alike.

mod aead;
mod agreement;
mod hash;
#[cfg(feature = "aws-lc-rs")]
mod kem;
mod key;
mod signature;

#[cfg(feature = "aws-lc-rs")]
use aws_lc_rs as library;
#[cfg(feature = "ring")]
use ring as library;

use crate::provider::NAME;
use shakedown_driver::{
    DriverError,
    primitive::{PrimitiveConfig, PrimitiveOperation},
};
use shakedown_protocol::{DriverRefusal, Primitive};
use std::fmt::Display;

type Prepared = Result<Box<dyn PrimitiveOperation>, DriverRefusal>;

/// Prepares a primitive. Its randomness is the provider's, which takes no seed.
///
/// # Errors
/// What the provider can't do, or what it refuses.
pub fn prepare(config: &PrimitiveConfig) -> Prepared {
    match config.primitive {
        Primitive::Aead { tag: false, .. } => lacks("encryption without a tag"),
        Primitive::Aead { cipher, work, size, .. } => aead::prepare(cipher, work, size),
        Primitive::Hash { function, size } => hash::digest(function, size),
        Primitive::Hkdf { function } => hash::hkdf(function),
        Primitive::Signature { key, work } => signature::prepare(key, work, &config.pki(key)),
        Primitive::Agreement { group, work } => agreement::prepare(group, work),
        #[cfg(feature = "aws-lc-rs")]
        Primitive::Kem { work, .. } => kem::prepare(work),
        #[cfg(feature = "ring")]
        Primitive::Kem { .. } => lacks("ml-kem-768"),
        Primitive::Fetch(_) => lacks("algorithms that are fetched"),
    }
}

/// A refusal of what the provider lacks.
fn lacks<T>(what: &str) -> Result<T, DriverRefusal> {
    Err(DriverRefusal::Unsupported(format!("{NAME} has no {what}")))
}

/// What failed, and what the provider says of it.
fn failed<E: Display>(what: &'static str) -> impl Fn(E) -> DriverError {
    move |error| DriverError(format!("{what}: {error}"))
}
