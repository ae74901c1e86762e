//! Why a text is not a scenario id.

use crate::{NameError, size::SizeError};

/// Why a text is not a scenario id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScenarioError {
    /// Fewer parts than every id has.
    #[error(
        "`{0}` is not a scenario id: write kind/version/cipher-suite/group/key, such as handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256"
    )]
    Short(String),
    /// A kind that does not exist.
    #[error(
        "unknown kind `{0}`: one of handshake-full, handshake-session-id, handshake-ticket, handshake-early-data, bulk, memory, setup-context, setup-handshake, setup-process, primitive, load"
    )]
    Kind(String),
    /// A primitive of no known form.
    #[error(
        "`{0}` is no primitive: write primitive/aead/CIPHER/seal/SIZE, hash/FUNCTION/SIZE, hkdf/FUNCTION, signature/KEY/sign, agreement/GROUP/agree, kem/ml-kem-768/encapsulate or fetch/ALGORITHM"
    )]
    Primitive(String),
    /// Something to load, of no known form.
    #[error("`{0}` can't be loaded: write load/key/KEY/pem, load/chain/KEY/der or load/roots-150")]
    Load(String),
    /// An option that primitives do not have.
    #[error(
        "option `{0}` does not belong here: an AEAD has no-tag, the other primitives have none"
    )]
    PrimitiveOption(String),
    /// A part with an unknown name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A size that does not parse.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// An option that is unknown, misplaced, repeated or does not fit the kind.
    #[error(
        "option `{0}` does not belong here: options come in the order client-auth, chain-N, roots-150, crl, ocsp, tickets-N, write-SIZE, total-SIZE, record-N, sessions-N, threads-N, connections-N, and only where the kind has them"
    )]
    Option(String),
    /// A kind that lacks an option that it needs.
    #[error("`{kind}` needs `{option}`")]
    Missing {
        /// The kind.
        kind: &'static str,
        /// The option, as one writes it.
        option: &'static str,
    },
    /// A combination that no TLS library can do.
    #[error("{0}")]
    Impossible(&'static str),
}
