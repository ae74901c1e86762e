//! Measures Mbed TLS from 3.6 on.

mod config;
mod facts;
mod ffi;
mod parts;
mod session;
mod worker;

use shakedown_driver::{EndpointConfig, Stack};
use shakedown_protocol::{DRIVER_PROTOCOL, DriverInfo, DriverRefusal};
use std::{ffi::CStr, process::ExitCode};
use worker::Configs;

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The library as it was linked.
struct MbedTls;

impl Stack for MbedTls {
    type Endpoints = Configs;

    fn info() -> DriverInfo {
        let allocator = if cfg!(feature = "jemalloc") { "jemalloc" } else { "glibc" };
        let mut version = [0; 32];
        // SAFETY: the library writes at most 18 bytes, ended by a zero.
        let version = unsafe {
            ffi::mbedtls_version_get_string_full(version.as_mut_ptr());
            CStr::from_ptr(version.as_ptr())
        };
        DriverInfo {
            protocol: DRIVER_PROTOCOL,
            stack: "mbedtls".to_owned(),
            library: version.to_string_lossy().into_owned(),
            details: vec![format!("allocator {allocator}")],
            cpu_features: shakedown_driver::cpu_features(),
        }
    }

    fn configure(setup: &EndpointConfig) -> Result<Configs, DriverRefusal> {
        Configs::new(setup)
    }
}

fn main() -> ExitCode {
    shakedown_driver::main::<MbedTls>()
}
