//! What a program reads before it can shake hands, without a connection.

use super::{CertificateKey, Encoding, ScenarioError};
use std::{fmt, str::FromStr};

/// What every id of something that is loaded begins with.
const PREFIX: &str = "load/";

/// What is made of bytes, and let go again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Load {
    /// The server's private key, from memory.
    Key {
        /// Its type.
        key: CertificateKey,
        /// The form of the bytes: PKCS #8 in either.
        encoding: Encoding,
    },
    /// The server's leaf and intermediate certificate, from memory, with the public key of each.
    Chain {
        /// The type of their keys.
        key: CertificateKey,
        /// The form of the bytes.
        encoding: Encoding,
    },
    /// A store of 150 roots, from a file of PEM: about as many as a browser or a distribution trusts.
    Roots,
}

impl Load {
    /// How many roots there are.
    pub const ROOTS: usize = 150;

    /// See [`Scenario::family`](super::Scenario::family).
    pub const fn family(&self) -> &'static str {
        match self {
            Self::Key { .. } => "load/key",
            Self::Chain { .. } => "load/chain",
            Self::Roots => "load/roots-150",
        }
    }

    /// Whether the text can only be meant as something that is loaded.
    pub(super) fn claims(id: &str) -> bool {
        id.starts_with(PREFIX)
    }
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.family())?;
        match self {
            Self::Key { key, encoding } | Self::Chain { key, encoding } => {
                write!(f, "/{key}/{encoding}")
            }
            Self::Roots => Ok(()),
        }
    }
}

impl FromStr for Load {
    type Err = ScenarioError;

    fn from_str(id: &str) -> Result<Self, Self::Err> {
        let parts: Vec<&str> = id.split('/').skip(1).collect();
        match *parts.as_slice() {
            ["key", key, encoding] => {
                Ok(Self::Key { key: key.parse()?, encoding: encoding.parse()? })
            }
            ["chain", key, encoding] => {
                Ok(Self::Chain { key: key.parse()?, encoding: encoding.parse()? })
            }
            ["roots-150"] => Ok(Self::Roots),
            _ => Err(ScenarioError::Load(id.to_owned())),
        }
    }
}
