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
        "unknown kind `{0}`: one of handshake-full, handshake-session-id, handshake-ticket, bulk, memory"
    )]
    Kind(String),
    /// A part with an unknown name.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A size that does not parse.
    #[error(transparent)]
    Size(#[from] SizeError),
    /// An option that is unknown, misplaced, repeated or does not fit the kind.
    #[error(
        "option `{0}` does not belong here: options come in the order client-auth, write-SIZE, total-SIZE, sessions-N, threads-N, and only where the kind has them"
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
