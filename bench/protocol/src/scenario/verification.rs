//! What a client verifies of a server.

use super::ScenarioError;

/// What the server shows, and what the client verifies it against. The default is what applications have:
/// a leaf and an intermediate, verified up to the only trusted root, and no proof that they were not revoked.
///
/// ```
/// use shakedown_protocol::{TlsScenario, Verification};
/// let verification = |id: &str| id.parse::<TlsScenario>().unwrap().verification;
/// let id = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
/// assert_eq!(verification(id), Verification::default());
/// let asked = verification(&format!("{id}/chain-4/roots-150/crl"));
/// assert_eq!(asked, Verification { chain: 4, many_roots: true, crl: true, ocsp: false });
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Verification {
    /// Certificates that the server sends, 1 to 4: the leaf, and all between it and the root.
    pub chain: u8,
    /// Whether the client trusts 150 roots more, which signed nothing here.
    pub many_roots: bool,
    /// Whether the client looks each certificate up in the revocation list of its issuer.
    pub crl: bool,
    /// Whether the client asks for an OCSP response, which the server staples to its leaf.
    pub ocsp: bool,
}

impl Default for Verification {
    fn default() -> Self {
        Self { chain: Self::USUAL_CHAIN, many_roots: false, crl: false, ocsp: false }
    }
}

impl Verification {
    /// Certificates that a server sends unless the scenario says otherwise.
    pub(super) const USUAL_CHAIN: u8 = 2;
    /// The longest chain of the test certificates.
    const LONGEST_CHAIN: u8 = 4;

    /// Checks that there are test certificates for it.
    pub(super) const fn validate(&self) -> Result<(), ScenarioError> {
        if self.chain == 0 || self.chain > Self::LONGEST_CHAIN {
            return Err(ScenarioError::Impossible("a chain has 1 to 4 certificates"));
        }
        Ok(())
    }
}
