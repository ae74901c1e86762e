//! What `openssl-sys` does not declare.

use openssl_sys::{SSL, SSL_SESSION};
use std::ffi::{c_char, c_int, c_long, c_ulong, c_void};

unsafe extern "C" {
    pub fn SSL_set1_host(ssl: *mut SSL, name: *const c_char) -> c_int;
    pub fn SSL_get_peer_signature_type_nid(ssl: *const SSL, nid: *mut c_int) -> c_int;
    pub fn RAND_set_rand_method(method: *const RandMethod) -> c_int;
    pub fn SSL_in_init(ssl: *const SSL) -> c_int;
    pub fn ERR_error_string_n(code: c_ulong, into: *mut c_char, length: usize);
    pub fn SSL_SESSION_free(session: *mut SSL_SESSION);
}

/// `RAND_METHOD` of openssl/rand.h.
#[repr(C)]
pub struct RandMethod {
    pub seed: Option<extern "C" fn(*const c_void, c_int) -> c_int>,
    pub bytes: Option<extern "C" fn(*mut u8, c_int) -> c_int>,
    pub cleanup: Option<extern "C" fn()>,
    pub add: Option<extern "C" fn(*const c_void, c_int, f64) -> c_int>,
    pub pseudorand: Option<extern "C" fn(*mut u8, c_int) -> c_int>,
    pub status: Option<extern "C" fn() -> c_int>,
}

/// Commands of `SSL_ctrl` and `SSL_CTX_ctrl` (openssl/ssl.h), behind macros in C.
pub const SSL_CTRL_SET_GROUPS_LIST: c_int = 92;
pub const SSL_CTRL_GET_PEER_SIGNATURE_NID: c_int = 108;
pub const SSL_CTRL_GET_PEER_TMP_KEY: c_int = 109;
pub const SSL_CTRL_GET_NEGOTIATED_GROUP: c_int = 134;

/// Set in what `SSL_CTRL_GET_NEGOTIATED_GROUP` returns for a group without a NID; the rest
/// is the group's number in the TLS registry.
pub const TLSEXT_NID_UNKNOWN: c_long = 0x0100_0000;

/// NIDs of openssl/obj_mac.h.
pub const NID_X25519: c_int = 1034;
pub const NID_RSA: c_int = 6;
pub const NID_RSA_PSS: c_int = 912;
pub const NID_EC: c_int = 408;
pub const NID_ED25519: c_int = 1087;
pub const NID_P256: c_int = 415;
pub const NID_P384: c_int = 715;
pub const NID_SHA256: c_int = 672;
pub const NID_SHA384: c_int = 673;
pub const NID_SHA512: c_int = 674;

/// Bits of `SSL_set_shutdown`: close-notify sent and received.
pub const BOTH_SHUT_DOWN: c_int = 3;
