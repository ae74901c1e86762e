//! A scenario as GnuTLS's priority string.

use crate::ffi;
use shakedown_driver::DriverError;
use shakedown_protocol::{CipherSuite, DriverRefusal, Group, TlsScenario, TlsVersion};
use std::{ffi::CString, ptr};

/// A parsed priority string, which sessions share.
pub struct Priority(ffi::gnutls_priority_t);

// SAFETY: it is not changed once it is made; the library counts references atomically.
unsafe impl Send for Priority {}
// SAFETY: as above.
unsafe impl Sync for Priority {}

impl Drop for Priority {
    fn drop(&mut self) {
        // SAFETY: we own it.
        unsafe { ffi::gnutls_priority_deinit(self.0) };
    }
}

impl Priority {
    /// The scenario's version, cipher suite and group only.
    ///
    /// # Errors
    /// [`DriverRefusal::Unsupported`] for what this version of GnuTLS has no name for.
    pub fn new(scenario: &TlsScenario) -> Result<Self, DriverRefusal> {
        let text = string(scenario);
        let list = CString::new(text.clone()).map_err(DriverError::from)?;
        let (mut priority, mut wrong) = (ptr::null_mut(), ptr::null());
        // SAFETY: the list is a C string; the library writes the other two.
        let code =
            unsafe { ffi::gnutls_priority_init2(&mut priority, list.as_ptr(), &mut wrong, 0) };
        if code < 0 {
            let what = format!("this GnuTLS does not know all of {text}");
            return Err(DriverRefusal::Unsupported(ffi::failure(&what, code).0));
        }
        Ok(Self(priority))
    }

    /// The library's pointer, valid for as long as `self`.
    pub const fn as_ptr(&self) -> ffi::gnutls_priority_t {
        self.0
    }
}

fn string(scenario: &TlsScenario) -> String {
    let version = match scenario.version {
        TlsVersion::Tls12 => "VERS-TLS1.2",
        TlsVersion::Tls13 => "VERS-TLS1.3",
    };
    let cipher = match scenario.cipher_suite {
        CipherSuite::Aes128Gcm => "AES-128-GCM",
        CipherSuite::Aes256Gcm => "AES-256-GCM",
        CipherSuite::Chacha20 => "CHACHA20-POLY1305",
    };
    let mut text = format!(
        "NORMAL:-VERS-ALL:+{version}:-CIPHER-ALL:+{cipher}:-KX-ALL:+ECDHE-ECDSA:+ECDHE-RSA"
    );
    let group = match scenario.group {
        Group::Default => return text,
        Group::X25519 => "X25519",
        Group::Secp256r1 => "SECP256R1",
        Group::Secp384r1 => "SECP384R1",
        Group::X25519MlKem768 => "X25519-MLKEM768",
        Group::Secp256r1MlKem768 => "SECP256R1-MLKEM768",
        Group::MlKem768 => "MLKEM768",
    };
    text.push_str(&format!(":-GROUP-ALL:+GROUP-{group}"));
    text
}
