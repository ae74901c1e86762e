//! Measures wolfSSL, by its own interface and not by the one that it has for programs written for OpenSSL.

mod context;
mod facts;
mod ffi;
mod session;
mod settings;
mod store;
mod worker;

use shakedown_driver::{EndpointConfig, Stack};
use shakedown_protocol::{DRIVER_PROTOCOL, DriverInfo, DriverRefusal};
use std::{ffi::CStr, process::ExitCode};
use worker::Configs;

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The library that the process loaded.
struct WolfSsl;

impl Stack for WolfSsl {
    type Endpoints = Configs;

    fn info() -> DriverInfo {
        let allocator = if cfg!(feature = "jemalloc") { "jemalloc" } else { "glibc" };
        // SAFETY: the library returns a string that lives as long as it does.
        let version = unsafe { CStr::from_ptr(ffi::wolfSSL_lib_version()) };
        DriverInfo {
            protocol: DRIVER_PROTOCOL,
            stack: "wolfssl".to_owned(),
            library: format!("wolfSSL {}", version.to_string_lossy()),
            details: vec![format!("allocator {allocator}")],
            cpu_features: shakedown_driver::cpu_features(),
        }
    }

    fn configure(setup: &EndpointConfig) -> Result<Configs, DriverRefusal> {
        Configs::new(setup)
    }
}

fn main() -> ExitCode {
    shakedown_driver::main::<WolfSsl>()
}
