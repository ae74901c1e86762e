//! The part of OpenSSL's C interface that the driver calls, and of the libraries that come from it.
//!
//! The build script reads these files and checks every declaration against the headers and the
//! archives of the library that is linked: types of functions (up to `const`), and values of
//! constants. Names are the library's own. A declaration behind `cfg(offered = "NAME")` may be
//! missing from a version. Any other one must be there, or the driver does not build and the
//! error names what is missing. Of `controls` and `functions` a library is held to the one that
//! fits; without all of `primitives`, or of `load`, it is measured without them.

#![allow(
    non_camel_case_types,
    non_upper_case_globals,
    clippy::upper_case_acronyms,
    dead_code,
    reason = "names as in C, and no version offers or needs all of them"
)]

macro_rules! opaque {
    ($($name:ident)*) => {
        $(#[repr(C)] pub struct $name { _private: [u8; 0] })*
    };
}

#[cfg(offered = "SSL_CTX_ctrl")]
mod controls;
#[cfg(not(offered = "SSL_CTX_ctrl"))]
mod functions;
#[cfg(loads)]
mod load;
#[cfg(primitives)]
mod primitives;

#[cfg(offered = "SSL_CTX_ctrl")]
pub use controls::*;
#[cfg(not(offered = "SSL_CTX_ctrl"))]
pub use functions::*;
#[cfg(loads)]
pub use load::*;
#[cfg(primitives)]
pub use primitives::*;

use std::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};

opaque! {
    BIO BIO_METHOD CRYPTO_EX_dup CRYPTO_EX_free CRYPTO_EX_new CRYPTO_EX_unused EVP_PKEY
    EVP_RAND EVP_RAND_CTX OPENSSL_INIT_SETTINGS OPENSSL_STACK OSSL_LIB_CTX SSL SSL_CIPHER SSL_CTX
    SSL_METHOD SSL_SESSION STACK_OF_X509 STACK_OF_X509_NAME STACK_OF_X509_OBJECT X509 X509_STORE
    X509_STORE_CTX X509_VERIFY_PARAM
}

/// Of openssl/core.h.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct OSSL_PARAM {
    pub key: *const c_char,
    pub data_type: c_uint,
    pub data: *mut c_void,
    pub data_size: usize,
    pub return_size: usize,
}

pub type BioRead = unsafe extern "C" fn(*mut BIO, *mut c_char, c_int) -> c_int;
pub type BioWrite = unsafe extern "C" fn(*mut BIO, *const c_char, c_int) -> c_int;
pub type BioCtrl = unsafe extern "C" fn(*mut BIO, c_int, c_long, *mut c_void) -> c_long;
pub type NewSession = unsafe extern "C" fn(*mut SSL, *mut SSL_SESSION) -> c_int;
pub type Verify = unsafe extern "C" fn(c_int, *mut X509_STORE_CTX) -> c_int;

unsafe extern "C" {
    pub fn BIO_free_all(bio: *mut BIO);
    pub fn BIO_clear_flags(bio: *mut BIO, flags: c_int);
    pub fn BIO_get_data(bio: *mut BIO) -> *mut c_void;
    pub fn BIO_meth_new(kind: c_int, name: *const c_char) -> *mut BIO_METHOD;
    pub fn BIO_meth_set_ctrl(method: *mut BIO_METHOD, ctrl: Option<BioCtrl>) -> c_int;
    pub fn BIO_meth_set_read(method: *mut BIO_METHOD, read: Option<BioRead>) -> c_int;
    pub fn BIO_meth_set_write(method: *mut BIO_METHOD, write: Option<BioWrite>) -> c_int;
    pub fn BIO_new(method: *const BIO_METHOD) -> *mut BIO;
    pub fn BIO_set_data(bio: *mut BIO, data: *mut c_void);
    pub fn BIO_set_flags(bio: *mut BIO, flags: c_int);
    pub fn BIO_set_init(bio: *mut BIO, init: c_int);

    pub fn OpenSSL_version(what: c_int) -> *const c_char;

    pub fn EVP_PKEY_free(key: *mut EVP_PKEY);
    #[cfg(offered = "EVP_PKEY_get_bits")]
    pub fn EVP_PKEY_get_bits(key: *const EVP_PKEY) -> c_int;
    #[cfg(offered = "EVP_PKEY_get_id")]
    pub fn EVP_PKEY_get_id(key: *const EVP_PKEY) -> c_int;
    #[cfg(offered = "EVP_PKEY_bits")]
    pub fn EVP_PKEY_bits(key: *const EVP_PKEY) -> c_int;
    #[cfg(offered = "EVP_PKEY_id")]
    pub fn EVP_PKEY_id(key: *const EVP_PKEY) -> c_int;

    #[cfg(offered = "OPENSSL_info")]
    pub fn OPENSSL_info(what: c_int) -> *const c_char;

    pub fn SSL_CIPHER_get_protocol_id(cipher: *const SSL_CIPHER) -> u16;
    #[cfg(offered = "SSL_CTX_ctrl")]
    pub fn SSL_CTX_ctrl(
        context: *mut SSL_CTX,
        command: c_int,
        number: c_long,
        pointer: *mut c_void,
    ) -> c_long;
    pub fn SSL_CTX_free(context: *mut SSL_CTX);
    pub fn SSL_CTX_get0_param(context: *mut SSL_CTX) -> *mut X509_VERIFY_PARAM;
    pub fn SSL_CTX_get_ex_data(context: *const SSL_CTX, index: c_int) -> *mut c_void;
    pub fn SSL_CTX_load_verify_locations(
        context: *mut SSL_CTX,
        file: *const c_char,
        folder: *const c_char,
    ) -> c_int;
    pub fn SSL_CTX_new(method: *const SSL_METHOD) -> *mut SSL_CTX;
    pub fn SSL_CTX_sess_set_new_cb(context: *mut SSL_CTX, new: Option<NewSession>);
    pub fn SSL_CTX_set_cipher_list(context: *mut SSL_CTX, list: *const c_char) -> c_int;
    pub fn SSL_CTX_set_client_CA_list(context: *mut SSL_CTX, names: *mut STACK_OF_X509_NAME);
    pub fn SSL_CTX_set_ex_data(context: *mut SSL_CTX, index: c_int, data: *mut c_void) -> c_int;
    pub fn SSL_CTX_set_verify(context: *mut SSL_CTX, mode: c_int, callback: Option<Verify>);
    pub fn SSL_CTX_use_PrivateKey_file(
        context: *mut SSL_CTX,
        file: *const c_char,
        format: c_int,
    ) -> c_int;
    pub fn SSL_CTX_use_certificate_chain_file(context: *mut SSL_CTX, file: *const c_char) -> c_int;
    pub fn SSL_SESSION_free(session: *mut SSL_SESSION);
    pub fn SSL_do_handshake(connection: *mut SSL) -> c_int;
    pub fn SSL_free(connection: *mut SSL);
    #[cfg(offered = "SSL_get1_peer_certificate")]
    pub fn SSL_get1_peer_certificate(connection: *const SSL) -> *mut X509;
    #[cfg(offered = "SSL_get_peer_certificate")]
    pub fn SSL_get_peer_certificate(connection: *const SSL) -> *mut X509;
    pub fn SSL_get_SSL_CTX(connection: *const SSL) -> *mut SSL_CTX;
    pub fn SSL_get_current_cipher(connection: *const SSL) -> *const SSL_CIPHER;
    pub fn SSL_get_error(connection: *const SSL, returned: c_int) -> c_int;
    pub fn SSL_get_peer_cert_chain(connection: *const SSL) -> *mut STACK_OF_X509;
    pub fn SSL_in_init(connection: *const SSL) -> c_int;
    pub fn SSL_load_client_CA_file(file: *const c_char) -> *mut STACK_OF_X509_NAME;
    pub fn SSL_new(context: *mut SSL_CTX) -> *mut SSL;
    pub fn SSL_peek(connection: *mut SSL, into: *mut c_void, length: c_int) -> c_int;
    pub fn SSL_read(connection: *mut SSL, into: *mut c_void, length: c_int) -> c_int;
    pub fn SSL_session_reused(connection: *const SSL) -> c_int;
    #[cfg(offered = "SSL_set1_dnsname")]
    pub fn SSL_set1_dnsname(connection: *mut SSL, name: *const c_char) -> c_int;
    #[cfg(offered = "SSL_set1_host")]
    pub fn SSL_set1_host(connection: *mut SSL, name: *const c_char) -> c_int;
    pub fn SSL_set_accept_state(connection: *mut SSL);
    pub fn SSL_set_bio(connection: *mut SSL, reader: *mut BIO, writer: *mut BIO);
    pub fn SSL_set_connect_state(connection: *mut SSL);
    pub fn SSL_set_session(connection: *mut SSL, session: *mut SSL_SESSION) -> c_int;
    pub fn SSL_set_shutdown(connection: *mut SSL, mode: c_int);
    pub fn SSL_version(connection: *const SSL) -> c_int;
    pub fn SSL_write(connection: *mut SSL, data: *const c_void, length: c_int) -> c_int;
    pub fn TLS_client_method() -> *const SSL_METHOD;
    pub fn TLS_server_method() -> *const SSL_METHOD;
    pub fn X509_free(certificate: *mut X509);
    pub fn X509_VERIFY_PARAM_set_flags(param: *mut X509_VERIFY_PARAM, flags: c_ulong) -> c_int;
    pub fn X509_get_pubkey(certificate: *mut X509) -> *mut EVP_PKEY;
}

pub const BIO_CTRL_FLUSH: c_int = 11;
pub const BIO_FLAGS_READ: c_int = 0x01;
pub const BIO_FLAGS_RWS: c_int = 0x07;
pub const BIO_FLAGS_SHOULD_RETRY: c_int = 0x08;
pub const BIO_TYPE_SOURCE_SINK: c_int = 0x0400;
pub const OPENSSL_CFLAGS: c_int = 1;
#[cfg(offered = "OPENSSL_info")]
pub const OPENSSL_INFO_CPU_SETTINGS: c_int = 1008;
pub const OPENSSL_VERSION: c_int = 0;

pub const NID_X9_62_id_ecPublicKey: c_int = 408;
pub const NID_rsaEncryption: c_int = 6;

pub const SSL_ERROR_WANT_READ: c_int = 2;
pub const SSL_FILETYPE_PEM: c_int = 1;
pub const SSL_RECEIVED_SHUTDOWN: c_int = 2;
pub const SSL_SENT_SHUTDOWN: c_int = 1;
pub const SSL_SESS_CACHE_CLIENT: c_int = 0x0001;
pub const SSL_SESS_CACHE_NO_INTERNAL: c_int = 0x0300;
pub const SSL_SESS_CACHE_OFF: c_int = 0x0000;
pub const SSL_SESS_CACHE_SERVER: c_int = 0x0002;
pub const SSL_VERIFY_FAIL_IF_NO_PEER_CERT: c_int = 0x02;
pub const SSL_VERIFY_PEER: c_int = 0x01;
pub const TLS1_2_VERSION: c_int = 0x0303;
pub const TLS1_3_VERSION: c_int = 0x0304;
pub const X509_V_FLAG_CRL_CHECK: c_ulong = 0x4;
pub const X509_V_FLAG_CRL_CHECK_ALL: c_ulong = 0x8;
