//! Measures s2n-tls through its C interface.

mod config;
mod error;
mod facts;
mod policy;
mod session;
mod store;
mod worker;

use shakedown_driver::{EndpointConfig, Stack};
use shakedown_protocol::{DRIVER_PROTOCOL, DriverInfo, DriverRefusal};
use std::process::ExitCode;
use worker::Configs;

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The library as it was linked.
struct S2n;

impl Stack for S2n {
    type Endpoints = Configs;

    fn info() -> DriverInfo {
        let allocator = if cfg!(feature = "jemalloc") { "jemalloc" } else { "glibc" };
        DriverInfo {
            protocol: DRIVER_PROTOCOL,
            stack: "s2n-tls".to_owned(),
            library: format!("s2n-tls {}", version("s2n-tls-sys")),
            details: vec![
                format!("cryptography aws-lc-sys {}", version("aws-lc-sys")),
                format!("allocator {allocator}"),
            ],
            cpu_features: shakedown_driver::cpu_features(),
        }
    }

    fn configure(setup: &EndpointConfig) -> Result<Configs, DriverRefusal> {
        Configs::new(setup)
    }
}

/// The version of a crate that was linked: the library does not tell its own.
fn version(name: &str) -> &'static str {
    shakedown_driver::locked_version(include_str!("../Cargo.lock"), name).unwrap_or("unknown")
}

fn main() -> ExitCode {
    shakedown_driver::main::<S2n>()
}
