//! Measures bertie, a TLS 1.3 whose protocol code is verified.

mod client;
mod data;
mod record;
mod server;
mod settings;
mod worker;

use settings::Settings;
use shakedown_driver::{EndpointConfig, Stack};
use shakedown_protocol::{DRIVER_PROTOCOL, DriverInfo, DriverRefusal, TlsScenario};
use std::process::ExitCode;

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The library as it was linked.
struct Bertie;

impl Stack for Bertie {
    type Endpoints = Settings;

    fn info() -> DriverInfo {
        let allocator = if cfg!(feature = "jemalloc") { "jemalloc" } else { "glibc" };
        DriverInfo {
            protocol: DRIVER_PROTOCOL,
            stack: "bertie".to_owned(),
            library: format!("bertie {}", version("bertie")),
            details: vec![
                format!("cryptography libcrux {}", version("libcrux")),
                format!("allocator {allocator}"),
                "servers send one certificate; clients verify what it signed, neither its issuer nor \
                 its name"
                    .to_owned(),
            ],
            cpu_features: shakedown_driver::cpu_features(),
        }
    }

    fn offers(scenario: &TlsScenario) -> Result<(), DriverRefusal> {
        settings::offers(scenario)
    }

    fn configure(setup: &EndpointConfig) -> Result<Settings, DriverRefusal> {
        Settings::new(setup)
    }
}

/// The version of a crate that was linked: the library does not tell its own.
fn version(name: &str) -> &'static str {
    shakedown_driver::locked_version(include_str!("../Cargo.lock"), name).unwrap_or("unknown")
}

fn main() -> ExitCode {
    shakedown_driver::main::<Bertie>()
}
