//! What loading needs, and TLS does not. A library that lacks something here without `cfg(offered = ...)`
//! is measured without it.

use super::{BIO, EVP_PKEY, STACK_OF_X509_OBJECT, X509, X509_STORE};
use std::ffi::{c_char, c_int, c_long, c_uchar, c_void};

opaque! {
    pem_password_cb
}

unsafe extern "C" {
    pub fn ERR_clear_error();
    pub fn PEM_read_bio_PrivateKey(
        bio: *mut BIO,
        into: *mut *mut EVP_PKEY,
        password: *mut pem_password_cb,
        pointer: *mut c_void,
    ) -> *mut EVP_PKEY;
    pub fn PEM_read_bio_X509(
        bio: *mut BIO,
        into: *mut *mut X509,
        password: *mut pem_password_cb,
        pointer: *mut c_void,
    ) -> *mut X509;
    #[cfg(offered = "X509_STORE_get0_objects")]
    pub fn X509_STORE_get0_objects(store: *const X509_STORE) -> *mut STACK_OF_X509_OBJECT;
    pub fn X509_STORE_free(store: *mut X509_STORE);
    pub fn X509_STORE_load_locations(
        store: *mut X509_STORE,
        file: *const c_char,
        folder: *const c_char,
    ) -> c_int;
    pub fn X509_STORE_new() -> *mut X509_STORE;
    pub fn d2i_AutoPrivateKey(
        into: *mut *mut EVP_PKEY,
        from: *mut *const c_uchar,
        length: c_long,
    ) -> *mut EVP_PKEY;
    pub fn d2i_X509(into: *mut *mut X509, from: *mut *const c_uchar, length: c_long) -> *mut X509;
    pub fn i2d_PUBKEY(key: *const EVP_PKEY, into: *mut *mut c_uchar) -> c_int;
    pub fn i2d_X509(certificate: *const X509, into: *mut *mut c_uchar) -> c_int;
}
