//! Measures OpenSSL from 1.1.1 on.

mod bio;
mod connection;
mod context;
mod error;
mod facts;
mod ffi;
mod name;
mod random;
mod worker;

use ffi::{OPENSSL_CFLAGS, OPENSSL_VERSION, OpenSSL_version};
use shakedown_driver::{EndpointConfig, Stack};
use shakedown_protocol::{DRIVER_PROTOCOL, DriverInfo, DriverRefusal};
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
            details: [says(OPENSSL_CFLAGS), format!("allocator {allocator}")]
                .into_iter()
                .chain(not_offered())
                .collect(),
            cpu_features: shakedown_driver::cpu_features(),
        }
    }

    fn configure(setup: &EndpointConfig) -> Result<Configs, DriverRefusal> {
        Configs::new(setup)
    }
}

/// A line that the library says of itself.
fn says(what: c_int) -> String {
    // SAFETY: the library returns a string that lives as long as it does.
    unsafe { CStr::from_ptr(OpenSSL_version(what)) }.to_string_lossy().into_owned()
}

/// Which optional calls this version lacks, as the build script found.
fn not_offered() -> Option<String> {
    let names = env!("NOT_OFFERED");
    (!names.is_empty()).then(|| format!("not offered by this version: {names}"))
}

fn main() -> ExitCode {
    shakedown_driver::main::<OpenSsl>()
}
