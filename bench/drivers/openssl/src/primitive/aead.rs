//! Authenticated encryption, and the bare cipher below it.

use super::{Prepared, cipher::Cipher};
use shakedown_driver::{
    DriverError,
    primitive::{AeadMessages, PrimitiveOperation, Proof, message},
};
use shakedown_protocol::{AeadWork, CipherSuite, Size};

/// Prepares an AEAD, with its tag or without.
pub fn prepare(cipher: CipherSuite, work: AeadWork, size: Size, tag: bool) -> Prepared {
    if !tag {
        return Ok(Box::new(Stream::new(cipher, work, size)?));
    }
    #[cfg(offered = "EVP_AEAD_CTX_seal_scatter")]
    let aead = super::scatter::Scatter::new(cipher)?;
    #[cfg(not(offered = "EVP_AEAD_CTX_seal_scatter"))]
    let aead = super::cipher::Both::new(cipher)?;
    Ok(Box::new(AeadMessages::new(aead, work, size)?))
}

/// Data that pass through a running cipher: one call, no nonce, no tag.
struct Stream {
    cipher: Cipher,
    work: AeadWork,
    data: Vec<u8>,
}

impl Stream {
    fn new(
        cipher: CipherSuite,
        work: AeadWork,
        size: Size,
    ) -> Result<Self, shakedown_protocol::DriverRefusal> {
        let data = message(size.0 as usize);
        Ok(Self { cipher: Cipher::new(cipher, work)?, work, data })
    }
}

impl PrimitiveOperation for Stream {
    /// A cipher must not run for ever with one nonce.
    fn prepare(&mut self, _: u64) -> Result<(), DriverError> {
        self.cipher.begin()
    }

    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        for _ in 0..operations {
            self.cipher.update(&mut self.data)?;
        }
        Ok(())
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        let length = self.data.len();
        self.data.copy_from_slice(&message(length));
        if self.work == AeadWork::Open {
            // The ciphertext: both directions of a stream cipher are the same.
            self.cipher.begin()?;
            self.cipher.update(&mut self.data)?;
        }
        self.cipher.begin()?;
        self.run(1)?;
        Ok(Proof { output: Some(self.data.clone()), ..Proof::default() })
    }
}
