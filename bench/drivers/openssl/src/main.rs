//! Measures OpenSSL: the adapter between its API, from 1.1.1 to 4.0, and the crate `driver`.

mod bio;
mod connection;
mod context;
mod error;
mod facts;
mod ffi;
mod random;
mod worker;

use openssl_sys::{OPENSSL_CFLAGS, OPENSSL_VERSION, OpenSSL_version};
use shakedown_driver::{EndpointConfig, Stack};
use shakedown_protocol::{DRIVER_PROTOCOL, DriverInfo, Refusal};
use std::{
    ffi::{CStr, c_int},
    process::ExitCode,
};
use worker::Configs;

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// OpenSSL as it was linked.
struct OpenSsl;

impl Stack for OpenSsl {
    type Endpoints = Configs;

    fn info() -> DriverInfo {
        let allocator = if cfg!(feature = "jemalloc") { "jemalloc" } else { "glibc" };
        DriverInfo {
            protocol: DRIVER_PROTOCOL,
            stack: "openssl".to_owned(),
            library: says(OPENSSL_VERSION),
            details: vec![says(OPENSSL_CFLAGS), format!("allocator {allocator}")],
            cpu_features: shakedown_driver::cpu_features(),
        }
    }

    fn configure(setup: &EndpointConfig) -> Result<Configs, Refusal> {
        Configs::new(setup)
    }
}

/// A line that the library says of itself.
fn says(what: c_int) -> String {
    // SAFETY: the library returns a string that lives as long as it does.
    unsafe { CStr::from_ptr(OpenSSL_version(what)) }.to_string_lossy().into_owned()
}

fn main() -> ExitCode {
    shakedown_driver::main::<OpenSsl>()
}
