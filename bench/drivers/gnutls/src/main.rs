//! Measures GnuTLS as the system has it.

mod config;
mod facts;
mod ffi;
mod priority;
mod session;
mod store;
mod worker;

use config::Configs;
use shakedown_driver::{EndpointConfig, Stack};
use shakedown_protocol::{DRIVER_PROTOCOL, DriverInfo, DriverRefusal};
use std::{ffi::CStr, process::ExitCode, ptr};

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The library that the process loaded.
struct GnuTls;

impl Stack for GnuTls {
    type Endpoints = Configs;

    fn info() -> DriverInfo {
        let allocator = if cfg!(feature = "jemalloc") { "jemalloc" } else { "glibc" };
        // SAFETY: the library returns a string that lives as long as it does.
        let version = unsafe { CStr::from_ptr(ffi::gnutls_check_version(ptr::null())) };
        DriverInfo {
            protocol: DRIVER_PROTOCOL,
            stack: "gnutls".to_owned(),
            library: format!("GnuTLS {}", version.to_string_lossy()),
            details: vec![format!("allocator {allocator}")],
            cpu_features: shakedown_driver::cpu_features(),
        }
    }

    fn configure(setup: &EndpointConfig) -> Result<Configs, DriverRefusal> {
        Configs::new(setup)
    }
}

fn main() -> ExitCode {
    shakedown_driver::main::<GnuTls>()
}
