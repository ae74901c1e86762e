//! The cryptography provider that this driver was built with, narrowed to a scenario.

use rustls::crypto::{CryptoProvider, GetRandomFailed, SecureRandom};
use shakedown_driver::{DeterministicRng, EndpointConfig, iana};
use shakedown_protocol::{Group, Refusal, TlsVersion};
use std::sync::Arc;

#[cfg(all(feature = "aws-lc-rs", not(feature = "ring")))]
use rustls_aws_lc_rs as chosen;
#[cfg(feature = "ring")]
use rustls_ring as chosen;

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

/// The provider with the scenario's version, suite and group only.
///
/// # Errors
/// [`Refusal::Unsupported`] for a group or suite that it does not have.
pub fn provider(setup: &EndpointConfig) -> Result<Arc<CryptoProvider>, Refusal> {
    let scenario = &setup.scenario;
    // One of the two is made for TLS 1.2 alone, the other for TLS 1.3 alone.
    let mut provider = match scenario.version {
        TlsVersion::Tls12 => chosen::DEFAULT_TLS12_PROVIDER,
        TlsVersion::Tls13 => chosen::DEFAULT_TLS13_PROVIDER,
    };
    let wanted =
        |number: u16| iana::suite(number).is_some_and(|(found, _)| found == scenario.suite);
    provider.tls12_cipher_suites.to_mut().retain(|suite| wanted(suite.common.suite.into()));
    provider.tls13_cipher_suites.to_mut().retain(|suite| wanted(suite.common.suite.into()));
    if provider.tls12_cipher_suites.is_empty() && provider.tls13_cipher_suites.is_empty() {
        return Err(Refusal::Unsupported(format!("{NAME} has no {}", scenario.suite)));
    }
    if scenario.group != Group::Default {
        let groups = chosen::ALL_KX_GROUPS.iter().copied();
        let wanted =
            groups.filter(|group| iana::group(group.name().into()) == Some(scenario.group));
        provider.kx_groups = wanted.collect::<Vec<_>>().into();
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
