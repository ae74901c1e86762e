//! Cryptographic operations below TLS: what a stack implements, and what goes into them.
//!
//! Inputs are the same in every stack. What comes out is compared with what another library
//! computed, before and after measuring: see [`Proof`].

mod aead;
mod known;
mod proof;
mod signature;

pub use aead::{Aead, AeadMessages, TAG};
pub use proof::Proof;
pub(crate) use proof::check;
pub use signature::{Generate, Generations, Sign, Signatures, Verifications, Verify};

use crate::{DriverError, Pki};
use shakedown_protocol::{CertificateKey, CipherSuite, HashFunction, Primitive};

/// Key of ciphers; those with shorter keys take its beginning.
pub const KEY: [u8; 32] = pattern(0x40);
/// Nonce of ciphers.
pub const NONCE: [u8; 12] = pattern(0x90);
/// Additional data of ciphers: as long as those of a TLS 1.2 record.
pub const ADDITIONAL_DATA: [u8; 13] = pattern(0x17);
/// What HKDF extracts from.
pub const SECRET: [u8; 32] = pattern(0x11);
/// Salt of HKDF.
pub const SALT: [u8; 32] = pattern(0x55);
/// Info of HKDF.
pub const INFO: [u8; 16] = pattern(0x77);
/// What is signed.
pub const MESSAGE: [u8; 32] = pattern(0xa0);

/// Bytes that count upwards.
const fn pattern<const N: usize>(first: u8) -> [u8; N] {
    let mut bytes = [first; N];
    let mut index = 0;
    while index < N {
        bytes[index] = first.wrapping_add(index as u8);
        index += 1;
    }
    bytes
}

/// A message of this many bytes.
pub fn message(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index ^ (index >> 8)) as u8).collect()
}

/// Length of a cipher's key.
pub const fn key_length(cipher: CipherSuite) -> usize {
    match cipher {
        CipherSuite::Aes128Gcm => 16,
        CipherSuite::Aes256Gcm | CipherSuite::Chacha20 => 32,
    }
}

/// Length of a digest, and of what HKDF expands to here.
pub const fn digest_length(function: HashFunction) -> usize {
    match function {
        HashFunction::Sha256 => 32,
        HashFunction::Sha384 => 48,
        HashFunction::Sha512 => 64,
    }
}

/// What a stack prepares.
#[derive(Debug, Clone)]
pub struct PrimitiveConfig {
    /// The primitive.
    pub primitive: Primitive,
    /// Where the keys are.
    pub root: std::path::PathBuf,
    /// Seed for the library's random number generator, set if counts must repeat exactly.
    pub seed: Option<u64>,
}

impl PrimitiveConfig {
    /// The certificates, keys and signatures of this type.
    pub fn pki(&self, key: CertificateKey) -> Pki {
        Pki::new(&self.root, key)
    }
}

/// A primitive that is ready to run, with keys, contexts and buffers.
pub trait PrimitiveOperation {
    /// Makes what `operations` of them use up. Not timed.
    ///
    /// # Errors
    /// Returns the library's error.
    fn prepare(&mut self, operations: u64) -> Result<(), DriverError> {
        let _ = operations;
        Ok(())
    }

    /// Runs the primitive so many times. Timed as a whole: it does nothing but call the library.
    ///
    /// # Errors
    /// Returns the library's error.
    fn run(&mut self, operations: u64) -> Result<(), DriverError>;

    /// Shows that it computes what it should, with the keys and contexts that [`run`](Self::run)
    /// uses. Not timed.
    ///
    /// # Errors
    /// Returns the library's error.
    fn prove(&mut self) -> Result<Proof, DriverError>;
}
