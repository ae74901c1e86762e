//! The cryptography provider that this driver was built with, narrowed to a scenario.

use rustls::{
    NamedGroup,
    crypto::{CryptoProvider, GetRandomFailed, SecureRandom},
};
use shakedown_driver::{DeterministicRng, EndpointConfig, iana};
use shakedown_protocol::{Group, Refusal};
use std::sync::Arc;

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
pub fn provider(setup: &EndpointConfig) -> Result<Arc<CryptoProvider>, Refusal> {
    let scenario = &setup.scenario;
    let mut provider = chosen::default_provider();
    provider.cipher_suites.retain(|suite| {
        iana::suite(suite.suite().into()).is_some_and(|(found, _)| found == scenario.suite)
    });
    if provider.cipher_suites.is_empty() {
        let text = format!("{NAME} has no {}", scenario.suite);
        return Err(Refusal::Unsupported(text));
    }
    if scenario.group != Group::Default {
        let wanted = |name: NamedGroup| iana::group(name.into()) == Some(scenario.group);
        let groups = chosen::ALL_KX_GROUPS.iter().copied();
        provider.kx_groups = groups.filter(|group| wanted(group.name())).collect();
        if provider.kx_groups.is_empty() {
            return Err(Refusal::Unsupported(format!("{NAME} has no {}", scenario.group)));
        }
    }
    if let Some(seed) = setup.seed {
        // One of it exists in a process, for as long as the process.
        provider.secure_random = Box::leak(Box::new(Seeded(DeterministicRng::new(seed))));
    }
    Ok(Arc::new(provider))
}

/// Randomness that repeats. Covers what rustls draws itself; the provider's keys come from
/// the provider.
#[derive(Debug)]
struct Seeded(DeterministicRng);

impl SecureRandom for Seeded {
    fn fill(&self, buffer: &mut [u8]) -> Result<(), GetRandomFailed> {
        self.0.fill(buffer);
        Ok(())
    }
}
