//! Signatures. The provider hashes the message as part of each.

use super::{
    Prepared, failed,
    key::{Key, generate, verification},
    lacks,
    library::{
        rand::SystemRandom,
        signature::{RSA_PKCS1_SHA256, UnparsedPublicKey},
    },
};
use shakedown_driver::{
    DriverError, Pki,
    primitive::{Generate, Generations, MESSAGE, Sign, Signatures, Verifications, Verify},
};
use shakedown_protocol::{CertificateKey, SignatureWork};
use std::hint::black_box;

/// Longest signature: that of RSA with 4096 bits.
const LONGEST: usize = 512;

/// Prepares a signature.
pub fn prepare(kind: CertificateKey, work: SignatureWork, pki: &Pki) -> Prepared {
    let key = Key::read(pki, kind)?;
    let verifier = Verifier(UnparsedPublicKey::new(verification(kind), key.public()));
    Ok(match work {
        SignatureWork::Generate => {
            if generate(kind)?.is_none() {
                return lacks(&format!("generation of {kind} keys"));
            }
            Box::new(Generations(KeyPairs(kind)))
        }
        SignatureWork::Sign => Box::new(Signatures { signer: Signer::new(key), verifier, kind }),
        SignatureWork::Verify => Box::new(Verifications::new(verifier, pki)?),
    })
}

struct Signer {
    key: Key,
    random: SystemRandom,
    /// Where RSA signs to; the others return their signatures.
    signature: [u8; LONGEST],
    length: usize,
}

impl Signer {
    fn new(key: Key) -> Self {
        Self { key, random: SystemRandom::new(), signature: [0; LONGEST], length: 0 }
    }
}

impl Sign for Signer {
    /// Signs, and leaves the signature in `signature`. What is returned by value is copied: at
    /// most 104 bytes.
    #[inline]
    fn sign(&mut self) -> Result<(), DriverError> {
        let signed = match &self.key {
            Key::Rsa(key) => {
                #[cfg(feature = "ring")]
                let length = key.public().modulus_len();
                #[cfg(feature = "aws-lc-rs")]
                let length = key.public_modulus_len();
                self.length = length;
                let into = &mut self.signature[..self.length];
                let signed = key.sign(&RSA_PKCS1_SHA256, &self.random, &MESSAGE, into);
                return signed.map_err(failed("signing"));
            }
            Key::Ecdsa(key) => key.sign(&self.random, &MESSAGE).map_err(failed("signing"))?,
            Key::Ed25519(key) => key.sign(&MESSAGE),
        };
        let signed = signed.as_ref();
        self.length = signed.len();
        self.signature[..self.length].copy_from_slice(signed);
        Ok(())
    }

    fn signature(&self) -> &[u8] {
        &self.signature[..self.length]
    }
}

struct Verifier(UnparsedPublicKey<Vec<u8>>);

impl Verify for Verifier {
    #[inline]
    fn verify(&mut self, signature: &[u8]) -> Result<(), DriverError> {
        self.0.verify(&MESSAGE, signature).map_err(failed("verifying"))
    }
}

struct KeyPairs(CertificateKey);

impl Generate for KeyPairs {
    type Signer = Signer;
    type Verifier = Verifier;

    #[inline]
    fn generate(&mut self) -> Result<(), DriverError> {
        black_box(generate(self.0)?);
        Ok(())
    }

    fn pair(&mut self) -> Result<(Signer, Verifier), DriverError> {
        let key = generate(self.0)?.ok_or_else(|| DriverError("no key was made".to_owned()))?;
        let verifier = Verifier(UnparsedPublicKey::new(verification(self.0), key.public()));
        Ok((Signer::new(key), verifier))
    }
}
