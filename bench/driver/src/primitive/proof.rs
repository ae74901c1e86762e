//! Whether a primitive computes what it should.

use super::{PrimitiveConfig, PrimitiveOperation, known, message};
use shakedown_protocol::{AeadWork, CertificateKey, DriverRefusal, Primitive, SignatureWork};
use std::fs;

/// What a primitive shows. Each needs the parts that [`required`] names.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Proof {
    /// What it computed: ciphertext and tag, message, digest, signature, or the name of what was
    /// fetched.
    pub output: Option<Vec<u8>>,
    /// A secret, as both peers compute it.
    pub secrets: Option<[Vec<u8>; 2]>,
    /// Whether it takes a right input, and not one with a bit changed.
    pub discerns: Option<bool>,
}

impl Proof {
    /// A signature as an output, if it is always the same.
    pub fn signature(key: CertificateKey, signature: &[u8]) -> Option<Vec<u8>> {
        (!is_random(key)).then(|| signature.to_vec())
    }
}

/// The parts of a proof that a primitive needs: an output, secrets, discernment.
const fn required(primitive: &Primitive) -> [bool; 3] {
    match primitive {
        Primitive::Aead { work: AeadWork::Open, tag: true, .. } => [true, false, true],
        Primitive::Aead { .. } | Primitive::Hash { .. } | Primitive::Hkdf { .. } => {
            [true, false, false]
        }
        Primitive::Signature { key, work: SignatureWork::Sign } => [!is_random(*key), false, true],
        Primitive::Signature { .. } => [false, false, true],
        Primitive::Agreement { .. } => [false, true, false],
        Primitive::Kem { .. } => [false, true, true],
        Primitive::Fetch(_) => [true, false, false],
    }
}

/// Whether a signature of this key is another one each time.
const fn is_random(key: CertificateKey) -> bool {
    matches!(key, CertificateKey::EcdsaP256 | CertificateKey::EcdsaP384)
}

/// Asks for a proof and looks at it.
///
/// # Errors
/// [`DriverRefusal::Broken`] for a wrong one, or the library's error.
pub fn check(
    config: &PrimitiveConfig,
    operation: &mut dyn PrimitiveOperation,
) -> Result<(), DriverRefusal> {
    operation.prepare(1)?;
    let proof = operation.prove()?;
    match fault(config, &proof) {
        None => Ok(()),
        Some(fault) => Err(DriverRefusal::Broken(format!("{}: {fault}", config.primitive))),
    }
}

/// What is wrong with a proof.
fn fault(config: &PrimitiveConfig, proof: &Proof) -> Option<String> {
    let primitive = &config.primitive;
    let [output, secrets, discerns] = required(primitive);
    let has = [proof.output.is_some(), proof.secrets.is_some(), proof.discerns.is_some()];
    if has != [output, secrets, discerns] {
        return Some("the driver shows other things than it has to".to_owned());
    }
    if proof.discerns == Some(false) {
        return Some("it refuses what is right, or takes what was changed".to_owned());
    }
    if let Some([one, other]) = &proof.secrets
        && (one != other || one.len() < 32 || one.iter().all(|byte| *byte == 0))
    {
        return Some("the peers compute different secrets, or none".to_owned());
    }
    let output = proof.output.as_ref()?;
    let right = match primitive {
        Primitive::Aead { work: AeadWork::Open, size, .. } => *output == message(size.0 as usize),
        Primitive::Signature { key, .. } => {
            let file = config.pki(*key).server_signature();
            match fs::read(&file) {
                Ok(signature) => *output == signature,
                Err(error) => return Some(format!("{}: {error}", file.display())),
            }
        }
        Primitive::Fetch(algorithm) => known::is_name(*algorithm, output),
        _ => known::digest(primitive) == Some(known::fnv(output)),
    };
    (!right).then(|| "it computes something else than other libraries".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_protocol::Scenario;

    fn faulty(id: &str, proof: &Proof) -> bool {
        let Scenario::Primitive(primitive) = id.parse().unwrap() else { panic!("{id}") };
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../pki").into();
        fault(&PrimitiveConfig { primitive, root, seed: None }, proof).is_some()
    }

    #[test]
    fn a_wrong_or_missing_output_is_found() {
        let open = "primitive/aead/aes128-gcm/open/64B";
        let right = Proof { output: Some(message(64)), discerns: Some(true), ..Proof::default() };
        assert!(!faulty(open, &right));
        assert!(faulty(open, &Proof { output: Some(message(63)), ..right.clone() }));
        assert!(faulty(open, &Proof { discerns: Some(false), ..right.clone() }));
        assert!(faulty(open, &Proof { discerns: None, ..right.clone() }));
        assert!(faulty(open, &Proof { output: None, ..right }));
        let digest = Proof { output: Some(vec![0; 32]), ..Proof::default() };
        assert!(faulty("primitive/hash/sha256/16B", &digest));
    }

    #[test]
    fn peers_must_agree_on_a_secret() {
        let agree = "primitive/agreement/x25519/agree";
        let secrets = |one: u8, other: u8, length| Proof {
            secrets: Some([vec![one; length], vec![other; length]]),
            ..Proof::default()
        };
        assert!(!faulty(agree, &secrets(1, 1, 32)));
        assert!(faulty(agree, &secrets(1, 2, 32)));
        assert!(faulty(agree, &secrets(0, 0, 32)));
        assert!(faulty(agree, &secrets(1, 1, 0)));
    }

    #[test]
    fn a_signature_is_compared_where_it_is_always_the_same() {
        let sign = "primitive/signature/ed25519/sign";
        let proof = Proof { output: Some(vec![7; 64]), discerns: Some(true), ..Proof::default() };
        assert!(faulty(sign, &proof));
        let ecdsa = Proof { discerns: Some(true), ..Proof::default() };
        assert!(!faulty("primitive/signature/ecdsa-p256/sign", &ecdsa));
    }
}
