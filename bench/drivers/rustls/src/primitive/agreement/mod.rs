//! Diffie-Hellman: with keys that serve once where ring's type system says so, and with keys that serve
//! again in aws-lc-rs.

#[cfg(feature = "ring")]
mod ephemeral;
#[cfg(feature = "aws-lc-rs")]
mod reusable;

#[cfg(feature = "ring")]
use ephemeral as keys;
#[cfg(feature = "aws-lc-rs")]
use reusable as keys;

use super::{
    Prepared, failed, lacks,
    library::{self, agreement},
};
use shakedown_protocol::{AgreementWork, Group};

/// Prepares an agreement.
pub fn prepare(group: Group, work: AgreementWork) -> Prepared {
    let algorithm = match group {
        Group::X25519 => &agreement::X25519,
        Group::Secp256r1 => &agreement::ECDH_P256,
        Group::Secp384r1 => &agreement::ECDH_P384,
        other => return lacks(&format!("agreement over {other}")),
    };
    keys::prepare(algorithm, work)
}
