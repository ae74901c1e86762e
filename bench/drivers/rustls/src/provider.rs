//! The cryptography provider that this driver was built with, restricted to a scenario.

#[allow(unused_imports, reason = "rustls 0.22 has an inherent method")]
use crate::number::Number as _;
use rustls::crypto::{CryptoProvider, GetRandomFailed, SecureRandom};
use shakedown_driver::{DeterministicRng, EndpointConfig, iana};
use shakedown_protocol::{CertificateKey, DriverRefusal, Group, TlsScenario, TlsVersion};

#[cfg(all(not(feature = "provider-crate"), feature = "aws-lc-rs"))]
pub use rustls::crypto::aws_lc_rs as chosen;
#[cfg(all(not(feature = "provider-crate"), feature = "ring"))]
pub use rustls::crypto::ring as chosen;
#[cfg(all(feature = "provider-crate", feature = "aws-lc-rs"))]
pub use rustls_aws_lc_rs as chosen;
#[cfg(all(feature = "provider-crate", feature = "ring"))]
pub use rustls_ring as chosen;

/// A provider in a crate of its own.
#[cfg(feature = "graviola")]
pub mod chosen {
    pub use rustls_graviola::{Ticketer, default_provider};
}

/// A provider in a crate of its own.
#[cfg(feature = "openssl")]
pub mod chosen {
    pub use rustls_openssl::default_provider;
}

/// A provider in a crate of its own.
#[cfg(feature = "boringssl")]
pub mod chosen {
    pub use boring_rustls_provider::provider as default_provider;
}

/// A provider in a crate of its own.
#[cfg(feature = "rustcrypto")]
pub mod chosen {
    pub use rustls_rustcrypto::provider as default_provider;
}

/// Provider and version, for the record.
#[cfg(feature = "ring")]
pub const NAME: &str = concat!("ring ", env!("VERSION_OF_RING"));

/// Provider and version, for the record.
#[cfg(feature = "aws-lc-rs")]
pub const NAME: &str = concat!(
    "aws-lc-rs ",
    env!("VERSION_OF_AWS_LC_RS"),
    ", aws-lc-sys ",
    env!("VERSION_OF_AWS_LC_SYS")
);

/// Provider and version, for the record.
#[cfg(feature = "graviola")]
pub const NAME: &str = concat!("rustls-graviola ", env!("VERSION_OF_RUSTLS_GRAVIOLA"));

/// Provider and version, for the record.
#[cfg(feature = "openssl")]
pub const NAME: &str = concat!(
    "rustls-openssl ",
    env!("VERSION_OF_RUSTLS_OPENSSL"),
    ", openssl-src ",
    env!("VERSION_OF_OPENSSL_SRC")
);

/// Provider and version, for the record.
#[cfg(feature = "boringssl")]
pub const NAME: &str = concat!(
    "boring-rustls-provider ",
    env!("VERSION_OF_BORING_RUSTLS_PROVIDER"),
    ", boring-sys ",
    env!("VERSION_OF_BORING_SYS")
);

/// Provider and version, for the record.
#[cfg(feature = "rustcrypto")]
pub const NAME: &str = concat!("rustls-rustcrypto ", env!("VERSION_OF_RUSTLS_RUSTCRYPTO"));

/// Every group of the provider, beyond those that it offers by default.
#[cfg(any(feature = "aws-lc-rs", feature = "ring"))]
macro_rules! all_groups {
    ($provider:expr) => {
        chosen::ALL_KX_GROUPS.iter().copied()
    };
}

/// The groups that the provider offers: these tell of no others.
#[cfg(not(any(feature = "aws-lc-rs", feature = "ring")))]
macro_rules! all_groups {
    ($provider:expr) => {
        $provider.kx_groups.clone().into_iter()
    };
}

/// The provider with the scenario's version, cipher suite and group only.
///
/// # Errors
/// [`DriverRefusal::Unsupported`] for a group or cipher suite that it does not have.
#[allow(clippy::useless_conversion, reason = "the list is a `Cow` in other revisions")]
pub fn provider(setup: &EndpointConfig) -> Result<CryptoProvider, DriverRefusal> {
    let scenario = &setup.scenario;
    let (tls12, ed25519) = (scenario.version == TlsVersion::Tls12, CertificateKey::Ed25519);
    if cfg!(feature = "graviola") && tls12 && scenario.key == ed25519 {
        return Err(DriverRefusal::Unsupported(format!("{NAME} has no Ed25519 in TLS 1.2")));
    }
    let mut provider = whole();
    if !restrict_cipher_suites(&mut provider, scenario) {
        return Err(DriverRefusal::Unsupported(format!("{NAME} has no {}", scenario.cipher_suite)));
    }
    if scenario.group != Group::Default {
        let groups = all_groups!(provider);
        let wanted = |number| iana::group(number) == Some(scenario.group);
        let groups: Vec<_> = groups.filter(|group| wanted(group.name().get_u16())).collect();
        if groups.is_empty() {
            return Err(DriverRefusal::Unsupported(format!("{NAME} has no {}", scenario.group)));
        }
        provider.kx_groups = groups.into();
    }
    if let Some(seed) = setup.seed {
        // A process has one of these, which lives as long as the process.
        provider.secure_random = Box::leak(Box::new(Seeded(DeterministicRng::new(seed))));
    }
    Ok(provider)
}

/// The provider as it is.
#[cfg(provider = "constant")]
pub fn whole() -> CryptoProvider {
    chosen::DEFAULT_PROVIDER
}

/// The provider as it is.
#[cfg(provider = "function")]
pub fn whole() -> CryptoProvider {
    chosen::default_provider()
}

/// Whether the scenario wants the cipher suite of that number.
fn wanted(scenario: &TlsScenario, number: u16) -> bool {
    iana::cipher_suite(number).is_some_and(|(found, _)| found == scenario.cipher_suite)
}

/// Leaves only the scenario's cipher suite; returns whether there is one.
#[cfg(cipher_suites = "joined")]
#[allow(clippy::useless_conversion, reason = "the list is a `Cow` in other revisions")]
fn restrict_cipher_suites(provider: &mut CryptoProvider, scenario: &TlsScenario) -> bool {
    use rustls::SupportedCipherSuite::Tls13;
    let mut suites = provider.cipher_suites.to_vec();
    suites.retain(|suite| {
        matches!(suite, Tls13(_)) == (scenario.version == TlsVersion::Tls13)
            && wanted(scenario, suite.suite().get_u16())
    });
    let found = !suites.is_empty();
    provider.cipher_suites = suites.into();
    found
}

/// Leaves only the scenario's cipher suite; returns whether there is one. A version without suites is
/// off: this API has no other way to choose a version.
#[cfg(cipher_suites = "split")]
fn restrict_cipher_suites(provider: &mut CryptoProvider, scenario: &TlsScenario) -> bool {
    let tls13 = scenario.version == TlsVersion::Tls13;
    let mut old = provider.tls12_cipher_suites.to_vec();
    old.retain(|suite| !tls13 && wanted(scenario, suite.common.suite.get_u16()));
    let mut new = provider.tls13_cipher_suites.to_vec();
    new.retain(|suite| tls13 && wanted(scenario, suite.common.suite.get_u16()));
    let found = !old.is_empty() || !new.is_empty();
    provider.tls12_cipher_suites = old.into();
    provider.tls13_cipher_suites = new.into();
    found
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
