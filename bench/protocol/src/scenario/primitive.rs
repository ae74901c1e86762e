//! Cryptographic operations, without a connection.

use super::{
    AeadWork, AgreementWork, CertificateKey, CipherSuite, Group, HashFunction, Kem, KemWork,
    ScenarioError, SignatureWork,
};
use crate::{Metric, NameError, Size};
use std::{fmt, str::FromStr};

/// What every id of a primitive begins with.
const PREFIX: &str = "primitive/";

/// What an AEAD without its tag ends with.
const NO_TAG: &str = "no-tag";

/// A cryptographic operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Primitive {
    /// Authenticated encryption of one message with a ready key: nonce, 13 bytes of additional data,
    /// the message in place, the tag.
    Aead {
        /// The algorithm.
        cipher: CipherSuite,
        /// The direction.
        work: AeadWork,
        /// Size of the message.
        size: Size,
        /// Whether there are nonce, additional data and tag. Without them the message passes
        /// through a running cipher, which is what `openssl speed` measured before 3.5.
        tag: bool,
    },
    /// The digest of one message.
    Hash {
        /// The function.
        function: HashFunction,
        /// Size of the message.
        size: Size,
    },
    /// HKDF (RFC 5869): extract from 32 bytes with a salt of 32, expand with 16 bytes of info to
    /// one digest.
    Hkdf {
        /// The function.
        function: HashFunction,
    },
    /// Signatures.
    Signature {
        /// The key. RSA signs with PKCS #1 v1.5 and SHA-256, P-256 with SHA-256, P-384 with SHA-384.
        key: CertificateKey,
        /// What is done.
        work: SignatureWork,
    },
    /// Diffie-Hellman.
    Agreement {
        /// The curve.
        group: Group,
        /// What is done.
        work: AgreementWork,
    },
    /// Key encapsulation.
    Kem {
        /// The mechanism.
        kem: Kem,
        /// What is done.
        work: KemWork,
    },
    /// Looking an algorithm up by name and letting it go again: what an operation costs more where a
    /// program does not keep the algorithm. The other primitives keep it.
    Fetch(Algorithm),
}

/// What can be fetched by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Algorithm {
    /// A cipher.
    Cipher(CipherSuite),
    /// A hash function.
    Hash(HashFunction),
}

impl Primitive {
    /// Sizes of messages: those of `openssl speed`. What comes out is known for them.
    pub const SIZES: [Size; 6] =
        [Size(16), Size(64), Size(256), Size(1 << 10), Size(8 << 10), Size(16 << 10)];

    /// Size of the message, where data pass through.
    pub const fn message(&self) -> Option<Size> {
        match self {
            Self::Aead { size, .. } | Self::Hash { size, .. } => Some(*size),
            _ => None,
        }
    }

    /// See [`Scenario::rate`](super::Scenario::rate).
    pub const fn rate(&self) -> Metric {
        match self.message() {
            Some(_) => Metric::Throughput,
            None => Metric::Operations,
        }
    }

    /// See [`Scenario::family`](super::Scenario::family).
    pub const fn family(&self) -> &'static str {
        match self {
            Self::Aead { .. } => "primitive/aead",
            Self::Hash { .. } => "primitive/hash",
            Self::Hkdf { .. } => "primitive/hkdf",
            Self::Signature { .. } => "primitive/signature",
            Self::Agreement { .. } => "primitive/agreement",
            Self::Kem { .. } => "primitive/kem",
            Self::Fetch(_) => "primitive/fetch",
        }
    }

    /// See [`Scenario::validate`](super::Scenario::validate).
    pub(super) fn validate(&self) -> Result<(), ScenarioError> {
        if let Some(size) = self.message()
            && !Self::SIZES.contains(&size)
        {
            return Err(ScenarioError::Impossible(
                "a primitive's message has 16B, 64B, 256B, 1KiB, 8KiB or 16KiB",
            ));
        }
        if let Self::Agreement { group, .. } = self
            && !matches!(group, Group::X25519 | Group::Secp256r1 | Group::Secp384r1)
        {
            return Err(ScenarioError::Impossible(
                "an agreement is over x25519, secp256r1 or secp384r1",
            ));
        }
        Ok(())
    }

    /// Whether the text can only be meant as a primitive.
    pub(super) fn claims(id: &str) -> bool {
        id.starts_with(PREFIX)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cipher(cipher) => cipher.fmt(f),
            Self::Hash(function) => function.fmt(f),
        }
    }
}

impl FromStr for Algorithm {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let cipher = text.parse().map(Self::Cipher);
        cipher.or_else(|error: NameError| {
            text.parse().map(Self::Hash).map_err(|hash: NameError| NameError {
                what: "algorithm",
                known: [error.known, hash.known].concat(),
                found: hash.found,
            })
        })
    }
}

impl fmt::Display for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/", self.family())?;
        match self {
            Self::Aead { cipher, work, size, tag } => {
                write!(f, "{cipher}/{work}/{size}")?;
                if *tag { Ok(()) } else { write!(f, "/{NO_TAG}") }
            }
            Self::Hash { function, size } => write!(f, "{function}/{size}"),
            Self::Hkdf { function } => write!(f, "{function}"),
            Self::Signature { key, work } => write!(f, "{key}/{work}"),
            Self::Agreement { group, work } => write!(f, "{group}/{work}"),
            Self::Kem { kem, work } => write!(f, "{kem}/{work}"),
            Self::Fetch(algorithm) => write!(f, "{algorithm}"),
        }
    }
}

impl FromStr for Primitive {
    type Err = ScenarioError;

    fn from_str(id: &str) -> Result<Self, Self::Err> {
        let parts: Vec<&str> = id.split('/').skip(1).collect();
        let primitive = match *parts.as_slice() {
            ["aead", cipher, work, size, ref rest @ ..] => Self::Aead {
                cipher: cipher.parse()?,
                work: work.parse()?,
                size: size.parse()?,
                tag: match rest {
                    [] => true,
                    [NO_TAG] => false,
                    [other, ..] => return Err(ScenarioError::PrimitiveOption((*other).to_owned())),
                },
            },
            ["hash", function, size] => {
                Self::Hash { function: function.parse()?, size: size.parse()? }
            }
            ["hkdf", function] => Self::Hkdf { function: function.parse()? },
            ["signature", key, work] => Self::Signature { key: key.parse()?, work: work.parse()? },
            ["agreement", group, work] => {
                Self::Agreement { group: group.parse()?, work: work.parse()? }
            }
            ["kem", kem, work] => Self::Kem { kem: kem.parse()?, work: work.parse()? },
            ["fetch", algorithm] => Self::Fetch(algorithm.parse()?),
            _ => return Err(ScenarioError::Primitive(id.to_owned())),
        };
        primitive.validate()?;
        // One scenario has one id: `1024B` would be a second spelling.
        if primitive.to_string() == id {
            Ok(primitive)
        } else {
            Err(ScenarioError::Primitive(id.to_owned()))
        }
    }
}
