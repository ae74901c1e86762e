//! Signatures: what the libraries' keys have in common.

use super::{PrimitiveOperation, Proof};
use crate::{DriverError, Pki};
use shakedown_protocol::CertificateKey;
use std::fs;

/// A key that signs [`MESSAGE`](super::MESSAGE).
pub trait Sign {
    /// Makes a signature and keeps it.
    ///
    /// # Errors
    /// Returns the library's error.
    fn sign(&mut self) -> Result<(), DriverError>;

    /// The newest signature.
    fn signature(&self) -> &[u8];
}

/// A key that checks signatures of [`MESSAGE`](super::MESSAGE).
pub trait Verify {
    /// Checks a signature.
    ///
    /// # Errors
    /// Returns the library's error, above all for a wrong signature.
    fn verify(&mut self, signature: &[u8]) -> Result<(), DriverError>;

    /// Whether it takes a signature, and not one with a bit changed.
    fn discerns(&mut self, signature: &[u8]) -> bool {
        let mut changed = signature.to_vec();
        if let Some(last) = changed.last_mut() {
            *last ^= 1;
        }
        self.verify(signature).is_ok() && self.verify(&changed).is_err()
    }
}

/// Makes key pairs of one type.
pub trait Generate {
    /// The private half.
    type Signer: Sign;
    /// The public half.
    type Verifier: Verify;

    /// Makes a key pair and lets it go.
    ///
    /// # Errors
    /// Returns the library's error.
    fn generate(&mut self) -> Result<(), DriverError>;

    /// Makes a key pair.
    ///
    /// # Errors
    /// Returns the library's error.
    fn pair(&mut self) -> Result<(Self::Signer, Self::Verifier), DriverError>;
}

/// Key pairs, one after the other.
#[derive(Debug)]
pub struct Generations<G>(pub G);

impl<G: Generate> PrimitiveOperation for Generations<G> {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        (0..operations).try_for_each(|_| self.0.generate())
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        let (mut signer, mut verifier) = self.0.pair()?;
        signer.sign()?;
        let discerns = verifier.discerns(signer.signature());
        Ok(Proof { discerns: Some(discerns), ..Proof::default() })
    }
}

/// Signatures with one key.
#[derive(Debug)]
pub struct Signatures<S, V> {
    /// The key.
    pub signer: S,
    /// Its public half.
    pub verifier: V,
    /// Its type.
    pub kind: CertificateKey,
}

impl<S: Sign, V: Verify> PrimitiveOperation for Signatures<S, V> {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        (0..operations).try_for_each(|_| self.signer.sign())
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        self.signer.sign()?;
        let signature = self.signer.signature();
        Ok(Proof {
            discerns: Some(self.verifier.discerns(signature)),
            output: Proof::signature(self.kind, signature),
            ..Proof::default()
        })
    }
}

/// Checks of the signature that another library made with the server's key.
#[derive(Debug)]
pub struct Verifications<V> {
    verifier: V,
    signature: Vec<u8>,
}

impl<V> Verifications<V> {
    /// Checks by the public half of the server's key.
    ///
    /// # Errors
    /// If the signature can't be read.
    pub fn new(verifier: V, pki: &Pki) -> Result<Self, DriverError> {
        Ok(Self { verifier, signature: fs::read(pki.server_signature())? })
    }
}

impl<V: Verify> PrimitiveOperation for Verifications<V> {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        (0..operations).try_for_each(|_| self.verifier.verify(&self.signature))
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        let discerns = self.verifier.discerns(&self.signature);
        Ok(Proof { discerns: Some(discerns), ..Proof::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes what begins with a zero, or everything.
    struct Toy {
        credulous: bool,
    }

    impl Sign for Toy {
        fn sign(&mut self) -> Result<(), DriverError> {
            Ok(())
        }

        fn signature(&self) -> &[u8] {
            &[0]
        }
    }

    impl Verify for Toy {
        fn verify(&mut self, signature: &[u8]) -> Result<(), DriverError> {
            let right = self.credulous || signature == [0];
            right.then_some(()).ok_or_else(|| DriverError("wrong".to_owned()))
        }
    }

    #[test]
    fn a_key_that_takes_every_signature_is_found() {
        for credulous in [false, true] {
            let kind = CertificateKey::Ed25519;
            let (signer, verifier) = (Toy { credulous }, Toy { credulous });
            let proof = Signatures { signer, verifier, kind }.prove().unwrap();
            assert_eq!((proof.discerns, proof.output), (Some(!credulous), Some(vec![0])));
        }
    }
}
