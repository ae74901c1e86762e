//! What is measured, and its stable id.

mod error;
mod id;
mod load;
mod names;
mod primitive;
mod tls;
mod verification;

pub use error::ScenarioError;
pub use load::Load;
pub use names::{
    AeadWork, AgreementWork, CertificateKey, CipherSuite, Encoding, Group, HashFunction, Kem,
    KemWork, RecordLimit, Resumption, SetupWork, Side, SignatureWork, TicketCount, TlsVersion,
};
pub use primitive::{Algorithm, Primitive};
pub use tls::{ScenarioKind, TlsScenario};
pub use verification::Verification;

use crate::Metric;
use std::num::NonZeroU16;

/// One thing to measure, with a stable id: `handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256`, or
/// `primitive/signature/ecdsa-p256/sign`.
///
/// ```
/// use shakedown_protocol::Scenario;
/// let id = "primitive/aead/aes128-gcm/seal/16KiB";
/// let scenario: Scenario = id.parse().unwrap();
/// assert!(scenario.tls().is_none());
/// assert_eq!(scenario.to_string(), id);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scenario {
    /// Connections.
    Tls(TlsScenario),
    /// A cryptographic operation, below TLS.
    Primitive(Primitive),
    /// Something that is read before the first connection.
    Load(Load),
}

impl Scenario {
    /// The connections, if it makes any.
    pub const fn tls(&self) -> Option<&TlsScenario> {
        match self {
            Self::Tls(scenario) => Some(scenario),
            Self::Primitive(_) | Self::Load(_) => None,
        }
    }

    /// The sides that are measured.
    pub const fn sides(&self) -> &'static [Side] {
        match self {
            Self::Tls(scenario) => scenario.sides(),
            Self::Primitive(_) | Self::Load(_) => &[Side::Local],
        }
    }

    /// Whether each measured handshake must be a resumption.
    pub const fn resumes(&self) -> bool {
        matches!(self, Self::Tls(scenario) if scenario.resumes())
    }

    /// How many threads do this at once.
    pub const fn threads(&self) -> NonZeroU16 {
        match self {
            Self::Tls(scenario) => scenario.threads,
            Self::Primitive(_) | Self::Load(_) => NonZeroU16::MIN,
        }
    }

    /// How many connections a real server has open at once, if the scenario says so.
    pub const fn connections(&self) -> Option<NonZeroU16> {
        match self {
            Self::Tls(scenario) => scenario.connections,
            Self::Primitive(_) | Self::Load(_) => None,
        }
    }

    /// Whether the library's own benchmark program measures this; see [`TlsScenario::in_tree`].
    pub const fn in_tree(&self) -> bool {
        matches!(self, Self::Tls(TlsScenario { in_tree: true, .. }))
    }

    /// Whether it measures the memory of many sessions, which has neither rates nor counts.
    pub const fn is_memory(&self) -> bool {
        matches!(self, Self::Tls(TlsScenario { kind: ScenarioKind::Memory { .. }, .. }))
    }

    /// Whether a process does its operation again and again, which counting meters need.
    pub const fn repeats(&self) -> bool {
        !matches!(
            self,
            Self::Tls(TlsScenario {
                kind: ScenarioKind::Memory { .. } | ScenarioKind::Setup(SetupWork::Process),
                ..
            })
        )
    }

    /// Whether the server sends application data and the client receives it.
    pub const fn is_bulk(&self) -> bool {
        matches!(self, Self::Tls(TlsScenario { kind: ScenarioKind::Bulk { .. }, .. }))
    }

    /// The metric that its timed batches yield; `None` where nothing is timed.
    pub const fn rate(&self) -> Option<Metric> {
        match self {
            Self::Tls(scenario) => scenario.rate(),
            Self::Primitive(primitive) => Some(primitive.rate()),
            Self::Load(_) => Some(Metric::Operations),
        }
    }

    /// The first parts of the id: the family that reports group by, and that shares its noise.
    pub const fn family(&self) -> &'static str {
        match self {
            Self::Tls(scenario) => scenario.family(),
            Self::Primitive(primitive) => primitive.family(),
            Self::Load(load) => load.family(),
        }
    }

    /// Checks what the types can't.
    ///
    /// # Errors
    /// For a combination that no library can do.
    pub fn validate(&self) -> Result<(), ScenarioError> {
        match self {
            Self::Tls(scenario) => scenario.validate(),
            Self::Primitive(primitive) => primitive.validate(),
            Self::Load(_) => Ok(()),
        }
    }
}

impl From<TlsScenario> for Scenario {
    fn from(scenario: TlsScenario) -> Self {
        Self::Tls(scenario)
    }
}

#[cfg(test)]
pub(crate) mod tests;
