//! Signature keys of the provider.

#[cfg(feature = "ring")]
use super::library::rand::SystemRandom;
#[cfg(feature = "aws-lc-rs")]
use super::library::rsa;
use super::{
    failed,
    library::signature::{
        self, EcdsaKeyPair, EcdsaSigningAlgorithm, Ed25519KeyPair, KeyPair as _, RsaKeyPair,
        VerificationAlgorithm,
    },
};
use pki_types::{PrivatePkcs8KeyDer, pem::PemObject};
use shakedown_driver::{DriverError, Pki};
use shakedown_protocol::CertificateKey;

/// A key of any type.
pub enum Key {
    Rsa(RsaKeyPair),
    Ecdsa(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
}

/// ECDSA with this key.
fn curve(kind: CertificateKey) -> &'static EcdsaSigningAlgorithm {
    match kind {
        CertificateKey::EcdsaP384 => &signature::ECDSA_P384_SHA384_ASN1_SIGNING,
        _ => &signature::ECDSA_P256_SHA256_ASN1_SIGNING,
    }
}

/// How signatures of this key are checked.
pub fn verification(kind: CertificateKey) -> &'static dyn VerificationAlgorithm {
    match kind {
        CertificateKey::EcdsaP256 => &signature::ECDSA_P256_SHA256_ASN1,
        CertificateKey::EcdsaP384 => &signature::ECDSA_P384_SHA384_ASN1,
        CertificateKey::Ed25519 => &signature::ED25519,
        _ => &signature::RSA_PKCS1_2048_8192_SHA256,
    }
}

impl Key {
    /// Reads the server's key.
    ///
    /// # Errors
    /// What the provider says.
    pub fn read(pki: &Pki, kind: CertificateKey) -> Result<Self, DriverError> {
        let der = PrivatePkcs8KeyDer::from_pem_file(pki.server_key())?;
        Self::decode(der.secret_pkcs8_der(), kind)
    }

    fn decode(der: &[u8], kind: CertificateKey) -> Result<Self, DriverError> {
        match kind {
            CertificateKey::EcdsaP256 | CertificateKey::EcdsaP384 => {
                #[cfg(feature = "ring")]
                let key = EcdsaKeyPair::from_pkcs8(curve(kind), der, &SystemRandom::new());
                #[cfg(feature = "aws-lc-rs")]
                let key = EcdsaKeyPair::from_pkcs8(curve(kind), der);
                key.map(Self::Ecdsa).map_err(failed("the key"))
            }
            CertificateKey::Ed25519 => {
                let key = Ed25519KeyPair::from_pkcs8_maybe_unchecked(der);
                key.map(Self::Ed25519).map_err(failed("the key"))
            }
            _ => RsaKeyPair::from_pkcs8(der).map(Self::Rsa).map_err(failed("the key")),
        }
    }

    /// The public key, as verification takes it.
    pub fn public(&self) -> Vec<u8> {
        match self {
            Self::Rsa(key) => key.public_key().as_ref().to_vec(),
            Self::Ecdsa(key) => key.public_key().as_ref().to_vec(),
            Self::Ed25519(key) => key.public_key().as_ref().to_vec(),
        }
    }
}

/// Makes a key pair; `None` where the provider can't.
#[cfg(feature = "aws-lc-rs")]
pub fn generate(kind: CertificateKey) -> Result<Option<Key>, DriverError> {
    let size = match kind {
        CertificateKey::EcdsaP256 | CertificateKey::EcdsaP384 => {
            let made = EcdsaKeyPair::generate(curve(kind));
            return made.map(|key| Some(Key::Ecdsa(key))).map_err(failed("generating"));
        }
        CertificateKey::Ed25519 => {
            let made = Ed25519KeyPair::generate();
            return made.map(|key| Some(Key::Ed25519(key))).map_err(failed("generating"));
        }
        CertificateKey::Rsa2048 => rsa::KeySize::Rsa2048,
        CertificateKey::Rsa3072 => rsa::KeySize::Rsa3072,
        CertificateKey::Rsa4096 => rsa::KeySize::Rsa4096,
    };
    RsaKeyPair::generate(size).map(|key| Some(Key::Rsa(key))).map_err(failed("generating"))
}

/// Makes a key pair; `None` where the provider can't. ring gives it out encoded only.
#[cfg(feature = "ring")]
pub fn generate(kind: CertificateKey) -> Result<Option<Key>, DriverError> {
    let random = SystemRandom::new();
    let der = match kind {
        CertificateKey::EcdsaP256 | CertificateKey::EcdsaP384 => {
            EcdsaKeyPair::generate_pkcs8(curve(kind), &random)
        }
        CertificateKey::Ed25519 => Ed25519KeyPair::generate_pkcs8(&random),
        _ => return Ok(None),
    };
    Key::decode(der.map_err(failed("generating"))?.as_ref(), kind).map(Some)
}
