//! The cryptography provider that this driver was built with, narrowed to a scenario.

use driver::Setup;
use protocol::{CipherSuite, Group, Refusal};
use rustls::{
    NamedGroup,
    crypto::{CryptoProvider, GetRandomFailed, SecureRandom},
};
use std::sync::{Arc, Mutex};

#[cfg(feature = "ring")]
pub use rustls::crypto::ring as chosen;

#[cfg(all(feature = "aws-lc-rs", not(feature = "ring")))]
pub use rustls::crypto::aws_lc_rs as chosen;

/// Provider and version, for the record.
#[cfg(feature = "ring")]
pub const NAME: &str = concat!("ring ", env!("VERSION_OF_RING"));

/// Provider and version, for the record.
#[cfg(all(feature = "aws-lc-rs", not(feature = "ring")))]
pub const NAME: &str = concat!(
    "aws-lc-rs ",
    env!("VERSION_OF_AWS_LC_RS"),
    ", aws-lc-sys ",
    env!("VERSION_OF_AWS_LC_SYS")
);

/// The provider with the scenario's suite and group only.
///
/// # Errors
/// [`Refusal::Unsupported`] for a group or suite that it does not have.
pub fn provider(setup: &Setup) -> Result<Arc<CryptoProvider>, Refusal> {
    let scenario = &setup.scenario;
    let mut provider = chosen::default_provider();
    provider
        .cipher_suites
        .retain(|suite| suite_of(suite.suite()).is_some_and(|(found, _)| found == scenario.suite));
    if provider.cipher_suites.is_empty() {
        let text = format!("{NAME} has no {}", scenario.suite);
        return Err(Refusal::Unsupported(text));
    }
    if scenario.group != Group::Default {
        let wanted = |name| group_of(name) == Some(scenario.group);
        let groups = chosen::ALL_KX_GROUPS.iter().copied();
        provider.kx_groups = groups.filter(|group| wanted(group.name())).collect();
        if provider.kx_groups.is_empty() {
            return Err(Refusal::Unsupported(format!("{NAME} has no {}", scenario.group)));
        }
    }
    if let Some(seed) = setup.seed {
        // One of it exists in a process, for as long as the process.
        provider.secure_random = Box::leak(Box::new(Seeded(Mutex::new(seed))));
    }
    Ok(Arc::new(provider))
}

/// Randomness that is the same in every run, so that counts repeat. Covers what rustls draws
/// itself; the provider's keys come from the provider.
#[derive(Debug)]
struct Seeded(Mutex<u64>);

impl SecureRandom for Seeded {
    fn fill(&self, buffer: &mut [u8]) -> Result<(), GetRandomFailed> {
        let mut state = self.0.lock().map_err(|_| GetRandomFailed)?;
        for byte in buffer {
            // SplitMix64 (Steele, Lea, Flood 2014).
            *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = *state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            *byte = (mixed ^ (mixed >> 31)) as u8;
        }
        Ok(())
    }
}

/// The protocol's name for a suite, and its IANA name.
pub fn suite_of(suite: rustls::CipherSuite) -> Option<(CipherSuite, &'static str)> {
    use rustls::CipherSuite as Suite;
    Some(match suite {
        Suite::TLS13_AES_128_GCM_SHA256 => (CipherSuite::Aes128Gcm, "TLS_AES_128_GCM_SHA256"),
        Suite::TLS13_AES_256_GCM_SHA384 => (CipherSuite::Aes256Gcm, "TLS_AES_256_GCM_SHA384"),
        Suite::TLS13_CHACHA20_POLY1305_SHA256 => {
            (CipherSuite::Chacha20, "TLS_CHACHA20_POLY1305_SHA256")
        }
        Suite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 => {
            (CipherSuite::Aes128Gcm, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
        }
        Suite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 => {
            (CipherSuite::Aes256Gcm, "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384")
        }
        Suite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 => {
            (CipherSuite::Chacha20, "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256")
        }
        Suite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 => {
            (CipherSuite::Aes128Gcm, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")
        }
        Suite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 => {
            (CipherSuite::Aes256Gcm, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384")
        }
        Suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 => {
            (CipherSuite::Chacha20, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256")
        }
        _ => return None,
    })
}

/// The protocol's name for a group.
pub const fn group_of(group: NamedGroup) -> Option<Group> {
    Some(match group {
        NamedGroup::X25519 => Group::X25519,
        NamedGroup::secp256r1 => Group::Secp256r1,
        NamedGroup::secp384r1 => Group::Secp384r1,
        NamedGroup::X25519MLKEM768 => Group::X25519MlKem768,
        _ => return None,
    })
}
