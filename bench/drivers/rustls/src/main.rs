//! Measures rustls, from 0.22 to the newest revision.
//!
//! The API has changed in every series and many times between releases. Where it differs, the
//! code has variants under `#[cfg(SURFACE = "VARIANT")]`; the builder compiles `probes/` with
//! the rustls at hand to find the one that fits.

mod config;
mod connection;
mod early_data;
mod facts;
mod identity;
mod io;
mod load;
mod number;
#[cfg(any(feature = "aws-lc-rs", feature = "ring"))]
mod primitive;
mod provider;
mod record_size;
mod signature;
mod verifier;

use config::Configs;
#[cfg(any(feature = "aws-lc-rs", feature = "ring"))]
use shakedown_driver::primitive::{PrimitiveConfig, PrimitiveOperation};
use shakedown_driver::{
    EndpointConfig, Stack,
    load::{LoadConfig, LoadOperation},
};
use shakedown_protocol::{DRIVER_PROTOCOL, DriverInfo, DriverRefusal, TlsScenario};
use std::process::ExitCode;

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// rustls with the provider that the driver was built with.
struct Rustls;

impl Stack for Rustls {
    type Endpoints = Configs;

    fn info() -> DriverInfo {
        let allocator = if cfg!(feature = "jemalloc") { "jemalloc" } else { "glibc" };
        DriverInfo {
            protocol: DRIVER_PROTOCOL,
            stack: "rustls".to_owned(),
            library: format!("rustls {}", env!("VERSION_OF_RUSTLS")),
            details: vec![format!("provider {}", provider::NAME), format!("allocator {allocator}")],
            cpu_features: shakedown_driver::cpu_features(),
        }
    }

    fn offers(scenario: &TlsScenario) -> Result<(), DriverRefusal> {
        verifier::offers(scenario)?;
        early_data::offers(scenario)
    }

    fn configure(setup: &EndpointConfig) -> Result<Configs, DriverRefusal> {
        Configs::new(setup)
    }

    #[cfg(any(feature = "aws-lc-rs", feature = "ring"))]
    fn primitive(config: &PrimitiveConfig) -> Result<Box<dyn PrimitiveOperation>, DriverRefusal> {
        primitive::prepare(config)
    }

    fn load(config: &LoadConfig) -> Result<Box<dyn LoadOperation>, DriverRefusal> {
        load::prepare(config)
    }
}

fn main() -> ExitCode {
    shakedown_driver::main::<Rustls>()
}
