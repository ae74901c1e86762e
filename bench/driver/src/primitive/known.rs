//! What other libraries compute from the same inputs.

use shakedown_protocol::{Algorithm, CipherSuite, HashFunction, Primitive};

/// A primitive and the [`fnv`] of its output a line, made by `known.py` with Python's libraries.
const KNOWN: &str = include_str!("known.txt");

/// FNV-1a in 64 bits: enough to notice a mistake.
pub fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The [`fnv`] of what a primitive computes.
pub fn digest(primitive: &Primitive) -> Option<u64> {
    let id = primitive.to_string();
    let lines = KNOWN.lines().filter_map(|line| line.split_once(' '));
    let (_, digest) = lines.into_iter().find(|(known, _)| *known == id)?;
    u64::from_str_radix(digest, 16).ok()
}

/// Whether a library calls an algorithm so.
pub fn is_name(algorithm: Algorithm, name: &[u8]) -> bool {
    let known: &str = match algorithm {
        Algorithm::Cipher(CipherSuite::Aes128Gcm) => "AES-128-GCM",
        Algorithm::Cipher(CipherSuite::Aes256Gcm) => "AES-256-GCM",
        Algorithm::Cipher(CipherSuite::Chacha20) => "ChaCha20-Poly1305",
        Algorithm::Hash(HashFunction::Sha256) => "SHA2-256",
        Algorithm::Hash(HashFunction::Sha384) => "SHA2-384",
        Algorithm::Hash(HashFunction::Sha512) => "SHA2-512",
    };
    name.eq_ignore_ascii_case(known.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_protocol::{AeadWork, Size};

    #[test]
    fn every_output_that_never_changes_is_known() {
        for size in Primitive::SIZES {
            for &function in HashFunction::ALL {
                assert!(digest(&Primitive::Hash { function, size }).is_some());
                assert!(digest(&Primitive::Hkdf { function }).is_some());
            }
            for (&cipher, tag) in CipherSuite::ALL.iter().flat_map(|c| [(c, true), (c, false)]) {
                let seal = Primitive::Aead { cipher, work: AeadWork::Seal, size, tag };
                assert!(digest(&seal).is_some(), "{seal}");
            }
        }
        let Size(other) = Size(17);
        let odd = Primitive::Hash { function: HashFunction::Sha256, size: Size(other) };
        assert_eq!(digest(&odd), None);
    }

    #[test]
    fn the_digest_is_fnv() {
        // Of the authors' page, http://www.isthe.com/chongo/tech/comp/fnv/.
        assert_eq!(fnv(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv(b"foobar"), 0x8594_4171_f739_67e8);
    }
}
