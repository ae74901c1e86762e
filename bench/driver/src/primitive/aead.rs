//! Authenticated encryption in place, over and over, without a copy: what is sealed twice with one
//! nonce is the message again, so that each message is the input of the next.

use super::{PrimitiveOperation, Proof, message};
use crate::DriverError;
use shakedown_protocol::{AeadWork, Size};

/// Bytes of a tag.
pub const TAG: usize = 16;

/// A cipher with the key, the nonce and the additional data of this module's constants.
pub trait Aead {
    /// Encrypts in place and makes the tag.
    ///
    /// # Errors
    /// Returns the library's error.
    fn seal(&mut self, data: &mut [u8], tag: &mut [u8; TAG]) -> Result<(), DriverError>;

    /// Decrypts in place and checks the tag.
    ///
    /// # Errors
    /// Returns the library's error, above all for a wrong tag.
    fn open(&mut self, data: &mut [u8], tag: &[u8; TAG]) -> Result<(), DriverError>;
}

/// One message, sealed or opened in place.
#[derive(Debug)]
pub struct AeadMessages<A> {
    aead: A,
    work: AeadWork,
    data: Vec<u8>,
    /// The tag of the ciphertext, and that of the message, taken for a ciphertext.
    tags: [[u8; TAG]; 2],
    /// Which of the tags belongs to `data`.
    next: usize,
}

impl<A: Aead> AeadMessages<A> {
    /// Makes a message and its tags.
    ///
    /// # Errors
    /// Returns the library's error.
    pub fn new(mut aead: A, work: AeadWork, size: Size) -> Result<Self, DriverError> {
        let mut data = message(usize::try_from(size.0)?);
        let mut tags = [[0; TAG]; 2];
        for tag in &mut tags {
            aead.seal(&mut data, tag)?;
        }
        let mut messages = Self { aead, work, data, tags, next: 0 };
        messages.rewind()?;
        Ok(messages)
    }

    /// Makes `data` what the first operation takes.
    fn rewind(&mut self) -> Result<(), DriverError> {
        let length = self.data.len();
        self.data.copy_from_slice(&message(length));
        self.next = 0;
        match self.work {
            AeadWork::Seal => Ok(()),
            AeadWork::Open => self.aead.seal(&mut self.data, &mut self.tags[0]),
        }
    }
}

impl<A: Aead> PrimitiveOperation for AeadMessages<A> {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        let Self { aead, data, tags, .. } = self;
        match self.work {
            AeadWork::Seal => {
                for _ in 0..operations {
                    aead.seal(data, &mut tags[0])?;
                }
            }
            AeadWork::Open => {
                for _ in 0..operations {
                    aead.open(data, &tags[self.next])?;
                    self.next ^= 1;
                }
            }
        }
        Ok(())
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        let mut proof = Proof::default();
        self.rewind()?;
        self.run(1)?;
        match self.work {
            AeadWork::Seal => proof.output = Some([&self.data[..], &self.tags[0]].concat()),
            AeadWork::Open => {
                proof.output = Some(self.data.clone());
                self.rewind()?;
                self.data[0] ^= 1;
                proof.discerns = Some(self.run(1).is_err());
            }
        }
        self.rewind()?;
        Ok(proof)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// XOR, and the sum as a tag.
    struct Toy;

    fn sum(data: &[u8]) -> [u8; TAG] {
        [data.iter().fold(0, |sum: u8, byte| sum.wrapping_mul(3).wrapping_add(*byte)); TAG]
    }

    impl Aead for Toy {
        fn seal(&mut self, data: &mut [u8], tag: &mut [u8; TAG]) -> Result<(), DriverError> {
            data.iter_mut().for_each(|byte| *byte ^= 0x5a);
            *tag = sum(data);
            Ok(())
        }

        fn open(&mut self, data: &mut [u8], tag: &[u8; TAG]) -> Result<(), DriverError> {
            if sum(data) != *tag {
                return Err(DriverError("wrong tag".to_owned()));
            }
            data.iter_mut().for_each(|byte| *byte ^= 0x5a);
            Ok(())
        }
    }

    #[test]
    fn each_opened_message_is_the_next_ciphertext() {
        let mut open = AeadMessages::new(Toy, AeadWork::Open, Size(64)).unwrap();
        for operations in [1, 2, 3, 1] {
            open.run(operations).unwrap();
        }
        let proof = open.prove().unwrap();
        assert_eq!((proof.output, proof.discerns), (Some(message(64)), Some(true)));
        open.run(5).unwrap();
    }
}
