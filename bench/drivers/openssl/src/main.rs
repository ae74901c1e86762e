//! Measures OpenSSL from 1.1.1 on, and libraries that come from it: AWS-LC and BoringSSL.

mod bio;
mod connection;
mod context;
#[cfg(offered = "SSL_CTX_ctrl")]
mod controls;
mod early_data;
mod error;
mod facts;
mod ffi;
#[cfg(not(offered = "SSL_CTX_ctrl"))]
mod functions;
#[cfg(loads)]
mod load;
mod name;
#[cfg(any(loads, primitives))]
mod owned;
#[cfg(primitives)]
mod primitive;
mod random;
mod worker;

#[cfg(offered = "SSL_CTX_ctrl")]
use controls as interface;
#[cfg(not(offered = "SSL_CTX_ctrl"))]
use functions as interface;

use ffi::{OPENSSL_CFLAGS, OPENSSL_VERSION, OpenSSL_version};
#[cfg(loads)]
use shakedown_driver::load::{LoadConfig, LoadOperation};
#[cfg(primitives)]
use shakedown_driver::primitive::{PrimitiveConfig, PrimitiveOperation};
use shakedown_driver::{EndpointConfig, Stack};
use shakedown_protocol::{DRIVER_PROTOCOL, DriverInfo, DriverRefusal, TlsScenario};
use std::{
    ffi::{CStr, c_int},
    process::ExitCode,
};
use worker::Configs;

#[cfg(feature = "jemalloc")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// The library as it was linked.
struct OpenSsl;

impl Stack for OpenSsl {
    type Endpoints = Configs;

    fn info() -> DriverInfo {
        let allocator = if cfg!(feature = "jemalloc") { "jemalloc" } else { "glibc" };
        let library = says(OPENSSL_VERSION);
        DriverInfo {
            protocol: DRIVER_PROTOCOL,
            stack: stack(&library),
            library,
            details: [says(OPENSSL_CFLAGS), format!("allocator {allocator}")]
                .into_iter()
                .chain(cpu_settings())
                .chain(not_offered())
                .collect(),
            cpu_features: shakedown_driver::cpu_features(),
        }
    }

    fn offers(_: &TlsScenario) -> Result<(), DriverRefusal> {
        Ok(())
    }

    fn configure(setup: &EndpointConfig) -> Result<Configs, DriverRefusal> {
        Configs::new(setup)
    }

    #[cfg(primitives)]
    fn primitive(config: &PrimitiveConfig) -> Result<Box<dyn PrimitiveOperation>, DriverRefusal> {
        primitive::prepare(config)
    }

    #[cfg(loads)]
    fn load(config: &LoadConfig) -> Result<Box<dyn LoadOperation>, DriverRefusal> {
        load::prepare(config)
    }
}

/// The name of the stack: the first word that the library says of itself. `AWS-LC 5.12.0`, and
/// `OpenSSL 3.5.5 27 Jan 2026`.
fn stack(library: &str) -> String {
    library.split(' ').next().unwrap_or_default().to_ascii_lowercase()
}

/// A line that the library says of itself.
fn says(what: c_int) -> String {
    // SAFETY: the library returns a string that lives as long as it does.
    unsafe { CStr::from_ptr(OpenSSL_version(what)) }.to_string_lossy().into_owned()
}

/// The CPU features that the library chooses its code by, where it says so.
#[cfg(offered = "OPENSSL_info")]
fn cpu_settings() -> Option<String> {
    // SAFETY: the library returns nothing, or a string that lives as long as it does.
    let settings = unsafe { ffi::OPENSSL_info(ffi::OPENSSL_INFO_CPU_SETTINGS).as_ref() }?;
    // SAFETY: as above; the string ends with a zero.
    Some(unsafe { CStr::from_ptr(settings) }.to_string_lossy().into_owned())
}

#[cfg(not(offered = "OPENSSL_info"))]
const fn cpu_settings() -> Option<String> {
    None
}

/// Which optional calls this version lacks, as the build script found.
fn not_offered() -> Option<String> {
    let names = env!("NOT_OFFERED");
    (!names.is_empty()).then(|| format!("not offered by this version: {names}"))
}

fn main() -> ExitCode {
    shakedown_driver::main::<OpenSsl>()
}
