//! The cipher suites of TLS 1.3, which not every version lets an application choose.

use crate::{error::failure, ffi as ssl};
use shakedown_protocol::{CipherSuite, DriverRefusal};
use std::ffi::{CStr, c_int};

/// Sets the only cipher suite of TLS 1.3.
///
/// # Errors
/// If the library does not have it.
///
/// # Safety
/// The context is alive.
#[cfg(offered = "SSL_CTX_set_ciphersuites")]
pub unsafe fn set_tls13_cipher_suite(
    context: *mut ssl::SSL_CTX,
    _: CipherSuite,
    name: &CStr,
) -> Result<(), DriverRefusal> {
    // SAFETY: the name is a C string.
    chosen(unsafe { ssl::SSL_CTX_set_ciphersuites(context, name.as_ptr()) }, name)
}

/// Sets the only cipher suite of TLS 1.3.
///
/// # Errors
/// If the library does not have it.
///
/// # Safety
/// The context is alive.
#[cfg(all(not(offered = "SSL_CTX_set_ciphersuites"), offered = "SSL_CTX_set1_tls13_ciphers"))]
pub unsafe fn set_tls13_cipher_suite(
    context: *mut ssl::SSL_CTX,
    cipher_suite: CipherSuite,
    name: &CStr,
) -> Result<(), DriverRefusal> {
    let number: u16 = match cipher_suite {
        CipherSuite::Aes128Gcm => 0x1301,
        CipherSuite::Aes256Gcm => 0x1302,
        CipherSuite::Chacha20 => 0x1303,
    };
    // SAFETY: the library copies the one number; flags may be null.
    let set =
        unsafe { ssl::SSL_CTX_set1_tls13_ciphers(context, &raw const number, std::ptr::null(), 1) };
    chosen(set, name)
}

/// Leaves the choice to the library, which takes AES-128-GCM first where the CPU has AES.
///
/// # Errors
/// For any other cipher suite.
///
/// # Safety
/// None is needed.
#[cfg(not(any(offered = "SSL_CTX_set_ciphersuites", offered = "SSL_CTX_set1_tls13_ciphers")))]
pub unsafe fn set_tls13_cipher_suite(
    _: *mut ssl::SSL_CTX,
    cipher_suite: CipherSuite,
    name: &CStr,
) -> Result<(), DriverRefusal> {
    if cipher_suite == CipherSuite::Aes128Gcm {
        return Ok(());
    }
    let name = name.to_string_lossy();
    let text = format!("this version of the library chooses TLS 1.3 suites itself, and not {name}");
    Err(DriverRefusal::Unsupported(text))
}

/// Turns the library's answer to a choice of cipher suite into a result.
#[allow(dead_code, reason = "for versions that offer the choice")]
fn chosen(set: c_int, name: &CStr) -> Result<(), DriverRefusal> {
    if set == 1 {
        return Ok(());
    }
    let what = format!("this build has no {}", name.to_string_lossy());
    Err(DriverRefusal::Unsupported(failure(&what).0))
}
