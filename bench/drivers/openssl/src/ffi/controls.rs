//! What OpenSSL and LibreSSL offer, and BoringSSL and AWS-LC do not: settings by number through
//! `SSL_ctrl`, behind macros in C.

#[allow(unused_imports, reason = "not every version needs all")]
use super::{
    BIO, CRYPTO_EX_dup, CRYPTO_EX_free, CRYPTO_EX_new, EVP_RAND, EVP_RAND_CTX,
    OPENSSL_INIT_SETTINGS, OPENSSL_STACK, OSSL_LIB_CTX, OSSL_PARAM, SSL, SSL_CTX,
};
use std::ffi::{c_char, c_int, c_long, c_uchar, c_uint, c_ulong, c_void};

/// Of openssl/rand.h.
#[repr(C)]
pub struct RAND_METHOD {
    pub seed: Option<extern "C" fn(*const c_void, c_int) -> c_int>,
    pub bytes: Option<extern "C" fn(*mut u8, c_int) -> c_int>,
    pub cleanup: Option<extern "C" fn()>,
    pub add: Option<extern "C" fn(*const c_void, c_int, f64) -> c_int>,
    pub pseudorand: Option<extern "C" fn(*mut u8, c_int) -> c_int>,
    pub status: Option<extern "C" fn() -> c_int>,
}

pub type Callback = unsafe extern "C" fn();

unsafe extern "C" {
    #[cfg(offered = "BIO_new_mem_buf")]
    pub fn BIO_new_mem_buf(bytes: *const c_void, length: c_int) -> *mut BIO;
    pub fn CRYPTO_get_ex_new_index(
        class: c_int,
        number: c_long,
        pointer: *mut c_void,
        new: *mut CRYPTO_EX_new,
        dup: *mut CRYPTO_EX_dup,
        free: *mut CRYPTO_EX_free,
    ) -> c_int;
    pub fn CRYPTO_malloc(size: usize, file: *const c_char, line: c_int) -> *mut c_void;
    pub fn ERR_error_string_n(code: c_ulong, into: *mut c_char, length: usize);
    pub fn ERR_get_error() -> c_ulong;
    #[cfg(offered = "OPENSSL_sk_num")]
    pub fn OPENSSL_sk_num(stack: *const OPENSSL_STACK) -> c_int;
    pub fn OPENSSL_init_ssl(options: u64, settings: *const OPENSSL_INIT_SETTINGS) -> c_int;
    #[cfg(offered = "RAND_set_rand_method")]
    pub fn RAND_set_rand_method(method: *const RAND_METHOD) -> c_int;
    #[cfg(offered = "EVP_RAND_fetch")]
    pub fn EVP_RAND_fetch(
        library: *mut OSSL_LIB_CTX,
        algorithm: *const c_char,
        properties: *const c_char,
    ) -> *mut EVP_RAND;
    #[cfg(offered = "EVP_RAND_CTX_new")]
    pub fn EVP_RAND_CTX_new(rand: *mut EVP_RAND, parent: *mut EVP_RAND_CTX) -> *mut EVP_RAND_CTX;
    #[cfg(offered = "EVP_RAND_instantiate")]
    pub fn EVP_RAND_instantiate(
        rand: *mut EVP_RAND_CTX,
        strength: c_uint,
        prediction_resistance: c_int,
        personalisation: *const c_uchar,
        length: usize,
        parameters: *const OSSL_PARAM,
    ) -> c_int;
    #[cfg(offered = "OSSL_PARAM_construct_end")]
    pub fn OSSL_PARAM_construct_end() -> OSSL_PARAM;
    #[cfg(offered = "OSSL_PARAM_construct_uint")]
    pub fn OSSL_PARAM_construct_uint(key: *const c_char, value: *mut c_uint) -> OSSL_PARAM;
    #[cfg(offered = "RAND_set0_private")]
    pub fn RAND_set0_private(library: *mut OSSL_LIB_CTX, rand: *mut EVP_RAND_CTX) -> c_int;
    #[cfg(offered = "RAND_set0_public")]
    pub fn RAND_set0_public(library: *mut OSSL_LIB_CTX, rand: *mut EVP_RAND_CTX) -> c_int;
    pub fn SSL_CTX_callback_ctrl(
        context: *mut SSL_CTX,
        command: c_int,
        callback: Option<Callback>,
    ) -> c_long;
    pub fn SSL_CTX_set_ciphersuites(context: *mut SSL_CTX, list: *const c_char) -> c_int;
    pub fn SSL_CTX_set_max_early_data(context: *mut SSL_CTX, bytes: u32) -> c_int;
    pub fn SSL_CTX_set_num_tickets(context: *mut SSL_CTX, tickets: usize) -> c_int;
    pub fn SSL_CTX_set_options(context: *mut SSL_CTX, options: u64) -> u64;
    pub fn SSL_CTX_set_session_id_context(
        context: *mut SSL_CTX,
        name: *const c_uchar,
        length: c_uint,
    ) -> c_int;
    pub fn SSL_ctrl(
        connection: *mut SSL,
        command: c_int,
        number: c_long,
        pointer: *mut c_void,
    ) -> c_long;
    pub fn SSL_get_early_data_status(connection: *const SSL) -> c_int;
    pub fn SSL_get_peer_signature_type_nid(connection: *const SSL, nid: *mut c_int) -> c_int;
    pub fn SSL_read_early_data(
        connection: *mut SSL,
        into: *mut c_void,
        length: usize,
        read: *mut usize,
    ) -> c_int;
    pub fn SSL_write_early_data(
        connection: *mut SSL,
        data: *const c_void,
        length: usize,
        written: *mut usize,
    ) -> c_int;
}

pub const CRYPTO_EX_INDEX_SSL_CTX: c_int = 1;
pub const OPENSSL_INIT_LOAD_SSL_STRINGS: u64 = 0x0020_0000;
#[cfg(offered = "OPENSSL_INIT_NO_ATEXIT")]
pub const OPENSSL_INIT_NO_ATEXIT: u64 = 0x0008_0000;
pub const NID_ED25519: c_int = 1087;
pub const NID_X25519: c_int = 1034;
pub const NID_X9_62_prime256v1: c_int = 415;
pub const NID_rsassaPss: c_int = 912;
pub const NID_secp384r1: c_int = 715;
pub const NID_sha256: c_int = 672;
pub const NID_sha384: c_int = 673;
pub const NID_sha512: c_int = 674;
#[cfg(offered = "SSL_CTRL_GET_NEGOTIATED_GROUP")]
pub const SSL_CTRL_GET_NEGOTIATED_GROUP: c_int = 134;
pub const SSL_CTRL_GET_PEER_SIGNATURE_NID: c_int = 108;
#[cfg(offered = "SSL_CTRL_GET_PEER_TMP_KEY")]
pub const SSL_CTRL_GET_PEER_TMP_KEY: c_int = 109;
#[cfg(offered = "SSL_CTRL_GET_SERVER_TMP_KEY")]
pub const SSL_CTRL_GET_SERVER_TMP_KEY: c_int = 109;
pub const SSL_CTRL_SET_GROUPS_LIST: c_int = 92;
pub const SSL_CTRL_SET_MAX_SEND_FRAGMENT: c_int = 52;
pub const SSL_CTRL_SET_MAX_PROTO_VERSION: c_int = 124;
pub const SSL_CTRL_SET_MIN_PROTO_VERSION: c_int = 123;
pub const SSL_CTRL_SET_SESS_CACHE_MODE: c_int = 44;
pub const SSL_CTRL_SET_SESS_CACHE_SIZE: c_int = 42;
pub const SSL_CTRL_SET_TLSEXT_HOSTNAME: c_int = 55;
pub const SSL_CTRL_GET_TLSEXT_STATUS_REQ_OCSP_RESP: c_int = 70;
pub const SSL_CTRL_SET_TLSEXT_STATUS_REQ_CB: c_int = 63;
pub const SSL_CTRL_SET_TLSEXT_STATUS_REQ_CB_ARG: c_int = 64;
pub const SSL_CTRL_SET_TLSEXT_STATUS_REQ_OCSP_RESP: c_int = 71;
pub const SSL_CTRL_SET_TLSEXT_STATUS_REQ_TYPE: c_int = 65;
pub const SSL_EARLY_DATA_ACCEPTED: c_int = 2;
pub const SSL_OP_NO_TICKET: u64 = 0x4000;
pub const SSL_READ_EARLY_DATA_FINISH: c_int = 2;
pub const SSL_READ_EARLY_DATA_SUCCESS: c_int = 1;
pub const SSL_TLSEXT_ERR_ALERT_FATAL: c_int = 2;
pub const SSL_TLSEXT_ERR_OK: c_int = 0;
pub const TLSEXT_NAMETYPE_host_name: c_long = 0;
pub const TLSEXT_STATUSTYPE_ocsp: c_long = 1;
/// Set in what `SSL_CTRL_GET_NEGOTIATED_GROUP` returns for a group without a NID. The rest is
/// the group's number in the TLS registry.
#[cfg(offered = "TLSEXT_nid_unknown")]
pub const TLSEXT_nid_unknown: c_long = 0x0100_0000;
