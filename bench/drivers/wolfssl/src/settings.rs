//! A scenario as wolfSSL's names and numbers.

use crate::ffi::{self, check, failure};
use shakedown_driver::{DriverError, groups, iana};
use shakedown_protocol::{
    CipherSuite, DriverRefusal, Resumption, ScenarioKind, TlsScenario, TlsVersion,
};
use std::ffi::{CString, c_int};

/// How connections resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// The server keeps sessions by their id.
    Ids,
    /// The server sends this number of tickets.
    Tickets(u8),
    /// Not at all.
    Nothing,
}

impl Keeps {
    /// What a scenario asks for.
    ///
    /// # Errors
    /// [`DriverRefusal::Unsupported`] for what wolfSSL's servers do not do.
    pub fn new(scenario: &TlsScenario, tickets: u8) -> Result<Self, DriverRefusal> {
        let unsupported = |text: &str| Err(DriverRefusal::Unsupported(text.to_owned()));
        Ok(match (scenario.kind, scenario.version) {
            (ScenarioKind::Handshake(Resumption::SessionId), TlsVersion::Tls12) => Self::Ids,
            (ScenarioKind::Handshake(Resumption::SessionId), TlsVersion::Tls13) => {
                return unsupported(
                    "wolfSSL's servers keep no TLS 1.3 sessions: they send tickets only",
                );
            }
            (ScenarioKind::Handshake(Resumption::Ticket), TlsVersion::Tls12)
                if scenario.client_auth =>
            {
                return unsupported(
                    "wolfSSL's servers do not know the client's certificate after a TLS 1.2 ticket",
                );
            }
            (ScenarioKind::Handshake(Resumption::Ticket), _) | (_, TlsVersion::Tls13) => {
                Self::Tickets(tickets)
            }
            _ => Self::Nothing,
        })
    }
}

/// Lets a context negotiate the scenario's cipher suite and group only.
///
/// # Errors
/// [`DriverRefusal::Unsupported`] for what this build of the library has not.
///
/// # Safety
/// The context is alive, and nothing was made of it yet.
pub unsafe fn pin(
    context: *mut ffi::WOLFSSL_CTX,
    scenario: &TlsScenario,
) -> Result<(), DriverRefusal> {
    let name = cipher_suite(scenario);
    let list = CString::new(name).map_err(DriverError::from)?;
    // SAFETY: the caller's promise; the name is a C string.
    let code = unsafe { ffi::wolfSSL_CTX_set_cipher_list(context, list.as_ptr()) };
    lacks(&format!("this wolfSSL has no cipher suite {name}"), code)?;
    let wanted = groups(scenario);
    let mut numbers: Vec<c_int> =
        wanted.iter().filter_map(|group| iana::group_number(*group)).map(c_int::from).collect();
    for (group, number) in wanted.iter().zip(&numbers) {
        // SAFETY: as above.
        let code = unsafe { ffi::wolfSSL_CTX_UseSupportedCurve(context, *number as u16) };
        lacks(&format!("this wolfSSL has no group {group}"), code)?;
    }
    if scenario.version == TlsVersion::Tls13 && !numbers.is_empty() {
        let (first, count) = (numbers.as_mut_ptr(), numbers.len() as c_int);
        // SAFETY: as above; the list is as long as we say. The client's key share is of the first.
        check("wolfSSL_CTX_set_groups", unsafe {
            ffi::wolfSSL_CTX_set_groups(context, first, count)
        })?;
    }
    Ok(())
}

fn lacks(what: &str, code: c_int) -> Result<(), DriverRefusal> {
    check(what, code).map_err(|_| DriverRefusal::Unsupported(failure(what, code).0))
}

/// The library's name of the scenario's cipher suite.
fn cipher_suite(scenario: &TlsScenario) -> &'static str {
    match (scenario.version, scenario.cipher_suite, scenario.key.is_rsa()) {
        (TlsVersion::Tls13, CipherSuite::Aes128Gcm, _) => "TLS13-AES128-GCM-SHA256",
        (TlsVersion::Tls13, CipherSuite::Aes256Gcm, _) => "TLS13-AES256-GCM-SHA384",
        (TlsVersion::Tls13, CipherSuite::Chacha20, _) => "TLS13-CHACHA20-POLY1305-SHA256",
        (TlsVersion::Tls12, CipherSuite::Aes128Gcm, false) => "ECDHE-ECDSA-AES128-GCM-SHA256",
        (TlsVersion::Tls12, CipherSuite::Aes256Gcm, false) => "ECDHE-ECDSA-AES256-GCM-SHA384",
        (TlsVersion::Tls12, CipherSuite::Chacha20, false) => "ECDHE-ECDSA-CHACHA20-POLY1305",
        (TlsVersion::Tls12, CipherSuite::Aes128Gcm, true) => "ECDHE-RSA-AES128-GCM-SHA256",
        (TlsVersion::Tls12, CipherSuite::Aes256Gcm, true) => "ECDHE-RSA-AES256-GCM-SHA384",
        (TlsVersion::Tls12, CipherSuite::Chacha20, true) => "ECDHE-RSA-CHACHA20-POLY1305",
    }
}
