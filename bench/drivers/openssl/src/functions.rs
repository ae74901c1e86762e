//! The interface of BoringSSL and AWS-LC: a function for each setting, and numbers of the TLS
//! registries.

mod cipher_suites;
mod early_data;
mod staple;

pub use cipher_suites::set_tls13_cipher_suite;
pub use early_data::{
    accept_early_data, is_early_data_accepted, offer_early_data, receive_early_data,
    send_early_data,
};
pub use staple::{Staple, ask_for_staple, is_stapled, staple};

use crate::{
    error::{check, failure},
    ffi as ssl,
};
use shakedown_driver::{DriverError, EndpointConfig, iana};
use shakedown_protocol::{
    CertificateKey, DriverRefusal, Group, Resumption, ScenarioKind, TlsVersion,
};
use std::{
    ffi::{CStr, c_char, c_int},
    ptr,
};

/// The library needs nothing.
///
/// # Errors
/// Never.
pub const fn initialize() -> Result<(), DriverError> {
    Ok(())
}

/// A new index for data of contexts.
pub fn context_index() -> c_int {
    let none = ptr::null_mut;
    // SAFETY: no callbacks are given.
    unsafe {
        ssl::SSL_CTX_get_ex_new_index(0, none(), ptr::null_mut(), ptr::null_mut(), ptr::null_mut())
    }
}

/// Whether the scenario can be tried.
///
/// # Errors
/// [`DriverRefusal::Unsupported`] for what the library has not implemented, whatever is set.
pub fn offers(setup: &EndpointConfig) -> Result<(), DriverRefusal> {
    let scenario = &setup.scenario;
    let id = scenario.kind == ScenarioKind::Handshake(Resumption::SessionId);
    if id && scenario.version == TlsVersion::Tls13 {
        let text =
            "a TLS 1.3 server of this library keeps no sessions: it resumes with tickets only";
        return Err(DriverRefusal::Unsupported(text.to_owned()));
    }
    Ok(())
}

/// Sets the only version; `false` if the library does not have it.
///
/// # Safety
/// The context is alive. So it is for all functions here.
pub unsafe fn set_version(context: *mut ssl::SSL_CTX, version: c_int) -> bool {
    let version = version as u16;
    // SAFETY: as the caller says.
    unsafe {
        ssl::SSL_CTX_set_min_proto_version(context, version) == 1
            && ssl::SSL_CTX_set_max_proto_version(context, version) == 1
    }
}

/// Sets the groups; `false` if the library does not know one.
///
/// # Safety
/// As above.
pub unsafe fn set_groups(context: *mut ssl::SSL_CTX, list: &CStr) -> bool {
    #[cfg(not(offered = "SSL_CTX_set1_groups_list"))]
    use ssl::SSL_CTX_set1_curves_list as set;
    #[cfg(offered = "SSL_CTX_set1_groups_list")]
    use ssl::SSL_CTX_set1_groups_list as set;
    // SAFETY: the list is a C string.
    unsafe { set(context, list.as_ptr()) == 1 }
}

/// Sets the number of tickets after a TLS 1.3 handshake.
///
/// # Errors
/// What the library says.
///
/// # Safety
/// As above.
#[cfg(offered = "SSL_CTX_set_num_tickets")]
pub unsafe fn set_tickets(context: *mut ssl::SSL_CTX, tickets: u8) -> Result<(), DriverRefusal> {
    // SAFETY: as the caller says.
    let set = unsafe { ssl::SSL_CTX_set_num_tickets(context, tickets.into()) };
    Ok(check("SSL_CTX_set_num_tickets", set)?)
}

/// Early versions always send two.
///
/// # Errors
/// For any other number.
///
/// # Safety
/// None is needed.
#[cfg(not(offered = "SSL_CTX_set_num_tickets"))]
pub unsafe fn set_tickets(_: *mut ssl::SSL_CTX, tickets: u8) -> Result<(), DriverRefusal> {
    match tickets {
        2 => Ok(()),
        _ => {
            let what = "SSL_CTX_set_num_tickets, and two is what it sends";
            Err(DriverRefusal::Unsupported(crate::error::not_offered(what).0))
        }
    }
}

/// Forbids tickets.
///
/// # Safety
/// As above.
pub unsafe fn no_tickets(context: *mut ssl::SSL_CTX) {
    // SAFETY: as the caller says.
    unsafe { ssl::SSL_CTX_set_options(context, ssl::SSL_OP_NO_TICKET) };
}

/// Sets what the library keeps of sessions.
///
/// # Safety
/// As above.
pub unsafe fn set_cache_mode(context: *mut ssl::SSL_CTX, mode: c_int) {
    // SAFETY: as the caller says.
    unsafe { ssl::SSL_CTX_set_session_cache_mode(context, mode) };
}

/// Sets how many sessions the server keeps.
///
/// # Safety
/// As above.
pub unsafe fn set_cache_size(context: *mut ssl::SSL_CTX, sessions: usize) {
    // SAFETY: as the caller says.
    unsafe { ssl::SSL_CTX_sess_set_cache_size(context, sessions as _) };
}

/// Sets how much application data goes into one record.
///
/// # Errors
/// What the library says.
///
/// # Safety
/// As above.
pub unsafe fn limit_records(context: *mut ssl::SSL_CTX, bytes: u64) -> Result<(), DriverError> {
    // SAFETY: as the caller says.
    let set = unsafe { ssl::SSL_CTX_set_max_send_fragment(context, bytes as usize) };
    check("SSL_CTX_set_max_send_fragment", set)
}

/// Makes an endpoint that verifies take Ed25519, which it does not by default.
///
/// # Errors
/// What the library says.
///
/// # Safety
/// As above.
pub unsafe fn accept_key(
    context: *mut ssl::SSL_CTX,
    setup: &EndpointConfig,
) -> Result<(), DriverError> {
    if setup.scenario.key != CertificateKey::Ed25519 {
        return Ok(());
    }
    let scheme = ssl::SSL_SIGN_ED25519;
    // SAFETY: the library copies the one number.
    check("SSL_CTX_set_verify_algorithm_prefs", unsafe {
        ssl::SSL_CTX_set_verify_algorithm_prefs(context, &raw const scheme, 1)
    })
}

/// Asks for the server by name.
///
/// # Errors
/// What the library says.
///
/// # Safety
/// The connection is alive, the name a C string.
#[inline]
pub unsafe fn ask_for(connection: *mut ssl::SSL, name: *const c_char) -> Result<(), DriverError> {
    // SAFETY: the caller's promise; the library copies the name.
    check("SNI", unsafe { ssl::SSL_set_tlsext_host_name(connection, name) })
}

/// Sends the tickets: the library keeps them until the server writes, and says that one who has
/// nothing to write writes nothing.
///
/// # Errors
/// What the library says.
///
/// # Safety
/// The connection is a server's, alive, and its handshake is over.
#[inline]
pub unsafe fn flush_tickets(connection: *mut ssl::SSL) -> Result<(), DriverError> {
    // SAFETY: the caller's promise; no byte is read.
    if unsafe { ssl::SSL_write(connection, c"".as_ptr().cast(), 0) } < 0 {
        return Err(failure("SSL_write of nothing"));
    }
    Ok(())
}

/// The group of the key exchange.
///
/// # Errors
/// For a group that has no name in the protocol.
pub fn group(connection: *mut ssl::SSL) -> Result<Option<Group>, DriverError> {
    #[cfg(not(offered = "SSL_get_group_id"))]
    use ssl::SSL_get_curve_id as group_id;
    #[cfg(offered = "SSL_get_group_id")]
    use ssl::SSL_get_group_id as group_id;
    // SAFETY: the caller's connection is alive.
    match unsafe { group_id(connection) } {
        0 => Ok(None),
        number => iana::group(number)
            .map(Some)
            .ok_or_else(|| DriverError(format!("negotiated group {number:#06x}"))),
    }
}

/// IANA name of the scheme of the peer's signature, where there was one.
pub fn signature(connection: *mut ssl::SSL) -> Option<&'static str> {
    // SAFETY: the caller's connection is alive.
    iana::signature(unsafe { ssl::SSL_get_peer_signature_algorithm(connection) })
}
