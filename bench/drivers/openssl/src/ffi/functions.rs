//! What BoringSSL and AWS-LC offer where OpenSSL has settings by number: a function for each.

use super::{BIO, CRYPTO_EX_dup, CRYPTO_EX_free, CRYPTO_EX_unused, OPENSSL_STACK, SSL, SSL_CTX};
use std::ffi::{c_char, c_int, c_long, c_uchar, c_ulong, c_void};

unsafe extern "C" {
    #[cfg(offered = "BIO_new_mem_buf")]
    pub fn BIO_new_mem_buf(bytes: *const c_void, length: isize) -> *mut BIO;
    pub fn ERR_error_string_n(code: u32, into: *mut c_char, length: usize) -> *mut c_char;
    pub fn ERR_get_error() -> u32;
    #[cfg(offered = "OPENSSL_sk_num")]
    pub fn OPENSSL_sk_num(stack: *const OPENSSL_STACK) -> usize;

    pub fn SSL_CTX_enable_ocsp_stapling(context: *mut SSL_CTX);
    pub fn SSL_CTX_get_ex_new_index(
        number: c_long,
        pointer: *mut c_void,
        unused: *mut CRYPTO_EX_unused,
        dup: *mut CRYPTO_EX_dup,
        free: *mut CRYPTO_EX_free,
    ) -> c_int;
    pub fn SSL_CTX_sess_set_cache_size(context: *mut SSL_CTX, size: c_ulong) -> c_ulong;
    #[cfg(offered = "SSL_CTX_set1_curves_list")]
    pub fn SSL_CTX_set1_curves_list(context: *mut SSL_CTX, list: *const c_char) -> c_int;
    #[cfg(offered = "SSL_CTX_set1_groups_list")]
    pub fn SSL_CTX_set1_groups_list(context: *mut SSL_CTX, list: *const c_char) -> c_int;
    #[cfg(offered = "SSL_CTX_set1_tls13_ciphers")]
    pub fn SSL_CTX_set1_tls13_ciphers(
        context: *mut SSL_CTX,
        numbers: *const u16,
        flags: *const u32,
        length: usize,
    ) -> c_int;
    #[cfg(offered = "SSL_CTX_set_ciphersuites")]
    pub fn SSL_CTX_set_ciphersuites(context: *mut SSL_CTX, list: *const c_char) -> c_int;
    pub fn SSL_CTX_set_ocsp_response(
        context: *mut SSL_CTX,
        response: *const c_uchar,
        length: usize,
    ) -> c_int;
    pub fn SSL_CTX_set_early_data_enabled(context: *mut SSL_CTX, enabled: c_int);
    pub fn SSL_CTX_set_max_proto_version(context: *mut SSL_CTX, version: u16) -> c_int;
    pub fn SSL_CTX_set_max_send_fragment(context: *mut SSL_CTX, length: usize) -> c_int;
    pub fn SSL_CTX_set_min_proto_version(context: *mut SSL_CTX, version: u16) -> c_int;
    #[cfg(offered = "SSL_CTX_set_num_tickets")]
    pub fn SSL_CTX_set_num_tickets(context: *mut SSL_CTX, tickets: usize) -> c_int;
    pub fn SSL_CTX_set_options(context: *mut SSL_CTX, options: u32) -> u32;
    pub fn SSL_CTX_set_session_cache_mode(context: *mut SSL_CTX, mode: c_int) -> c_int;
    pub fn SSL_CTX_set_verify_algorithm_prefs(
        context: *mut SSL_CTX,
        numbers: *const u16,
        length: usize,
    ) -> c_int;
    pub fn SSL_CTX_set_session_id_context(
        context: *mut SSL_CTX,
        name: *const c_uchar,
        length: usize,
    ) -> c_int;
    pub fn SSL_early_data_accepted(connection: *const SSL) -> c_int;
    pub fn SSL_get0_ocsp_response(
        connection: *const SSL,
        response: *mut *const c_uchar,
        length: *mut usize,
    );
    #[cfg(offered = "SSL_get_curve_id")]
    pub fn SSL_get_curve_id(connection: *const SSL) -> u16;
    #[cfg(offered = "SSL_get_group_id")]
    pub fn SSL_get_group_id(connection: *const SSL) -> u16;
    pub fn SSL_get_peer_signature_algorithm(connection: *const SSL) -> u16;
    pub fn SSL_in_early_data(connection: *const SSL) -> c_int;
    pub fn SSL_set_tlsext_host_name(connection: *mut SSL, name: *const c_char) -> c_int;
}

pub const NID_ED25519: c_int = 949;
pub const NID_X25519: c_int = 948;
pub const NID_X9_62_prime256v1: c_int = 415;
pub const NID_secp384r1: c_int = 715;
pub const SSL_OP_NO_TICKET: u32 = 0x4000;
pub const SSL_SIGN_ED25519: u16 = 0x0807;
