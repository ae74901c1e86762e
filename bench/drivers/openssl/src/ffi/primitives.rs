//! What primitives need: EVP, which all libraries have alike, and what only some have. A library that
//! lacks something here without `cfg(offered = ...)` is measured without primitives.

#[allow(unused_imports, reason = "not every version needs all")]
use super::{EVP_PKEY, OSSL_LIB_CTX, OSSL_PARAM, SSL_CTX};
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_void};

opaque! {
    BIGNUM ENGINE EVP_AEAD EVP_AEAD_CTX EVP_CIPHER EVP_CIPHER_CTX EVP_KDF EVP_KDF_CTX EVP_MD EVP_MD_CTX
    EVP_PKEY_CTX
}

unsafe extern "C" {
    pub fn EVP_CIPHER_CTX_ctrl(
        context: *mut EVP_CIPHER_CTX,
        command: c_int,
        number: c_int,
        pointer: *mut c_void,
    ) -> c_int;
    pub fn EVP_CIPHER_CTX_free(context: *mut EVP_CIPHER_CTX);
    pub fn EVP_CIPHER_CTX_new() -> *mut EVP_CIPHER_CTX;
    pub fn EVP_CipherFinal_ex(
        context: *mut EVP_CIPHER_CTX,
        into: *mut c_uchar,
        length: *mut c_int,
    ) -> c_int;
    pub fn EVP_CipherInit_ex(
        context: *mut EVP_CIPHER_CTX,
        cipher: *const EVP_CIPHER,
        engine: *mut ENGINE,
        key: *const c_uchar,
        nonce: *const c_uchar,
        encrypts: c_int,
    ) -> c_int;
    pub fn EVP_CipherUpdate(
        context: *mut EVP_CIPHER_CTX,
        into: *mut c_uchar,
        length: *mut c_int,
        data: *const c_uchar,
        size: c_int,
    ) -> c_int;
    pub fn EVP_DigestFinal_ex(
        context: *mut EVP_MD_CTX,
        into: *mut c_uchar,
        length: *mut c_uint,
    ) -> c_int;
    pub fn EVP_DigestInit_ex(
        context: *mut EVP_MD_CTX,
        function: *const EVP_MD,
        engine: *mut ENGINE,
    ) -> c_int;
    pub fn EVP_DigestSign(
        context: *mut EVP_MD_CTX,
        into: *mut c_uchar,
        length: *mut usize,
        data: *const c_uchar,
        size: usize,
    ) -> c_int;
    pub fn EVP_DigestSignInit(
        context: *mut EVP_MD_CTX,
        key_context: *mut *mut EVP_PKEY_CTX,
        function: *const EVP_MD,
        engine: *mut ENGINE,
        key: *mut EVP_PKEY,
    ) -> c_int;
    pub fn EVP_DigestUpdate(context: *mut EVP_MD_CTX, data: *const c_void, size: usize) -> c_int;
    pub fn EVP_DigestVerify(
        context: *mut EVP_MD_CTX,
        signature: *const c_uchar,
        length: usize,
        data: *const c_uchar,
        size: usize,
    ) -> c_int;
    pub fn EVP_DigestVerifyInit(
        context: *mut EVP_MD_CTX,
        key_context: *mut *mut EVP_PKEY_CTX,
        function: *const EVP_MD,
        engine: *mut ENGINE,
        key: *mut EVP_PKEY,
    ) -> c_int;
    pub fn EVP_MD_CTX_free(context: *mut EVP_MD_CTX);
    pub fn EVP_MD_CTX_new() -> *mut EVP_MD_CTX;
    pub fn EVP_PKEY_CTX_free(context: *mut EVP_PKEY_CTX);
    pub fn EVP_PKEY_CTX_new(key: *mut EVP_PKEY, engine: *mut ENGINE) -> *mut EVP_PKEY_CTX;
    pub fn EVP_PKEY_CTX_new_id(kind: c_int, engine: *mut ENGINE) -> *mut EVP_PKEY_CTX;
    pub fn EVP_PKEY_derive(
        context: *mut EVP_PKEY_CTX,
        into: *mut c_uchar,
        length: *mut usize,
    ) -> c_int;
    pub fn EVP_PKEY_derive_init(context: *mut EVP_PKEY_CTX) -> c_int;
    pub fn EVP_PKEY_derive_set_peer(context: *mut EVP_PKEY_CTX, peer: *mut EVP_PKEY) -> c_int;
    pub fn EVP_PKEY_keygen(context: *mut EVP_PKEY_CTX, into: *mut *mut EVP_PKEY) -> c_int;
    pub fn EVP_PKEY_keygen_init(context: *mut EVP_PKEY_CTX) -> c_int;
    pub fn EVP_PKEY_sign(
        context: *mut EVP_PKEY_CTX,
        into: *mut c_uchar,
        length: *mut usize,
        digest: *const c_uchar,
        size: usize,
    ) -> c_int;
    pub fn EVP_PKEY_sign_init(context: *mut EVP_PKEY_CTX) -> c_int;
    pub fn EVP_PKEY_verify(
        context: *mut EVP_PKEY_CTX,
        signature: *const c_uchar,
        length: usize,
        digest: *const c_uchar,
        size: usize,
    ) -> c_int;
    pub fn EVP_PKEY_verify_init(context: *mut EVP_PKEY_CTX) -> c_int;
    pub fn EVP_aes_128_gcm() -> *const EVP_CIPHER;
    pub fn EVP_aes_256_gcm() -> *const EVP_CIPHER;
    pub fn EVP_sha256() -> *const EVP_MD;
    pub fn EVP_sha384() -> *const EVP_MD;
    pub fn EVP_sha512() -> *const EVP_MD;
    pub fn SSL_CTX_get0_privatekey(context: *const SSL_CTX) -> *mut EVP_PKEY;

    #[cfg(offered = "EVP_AEAD_CTX_new")]
    pub fn EVP_AEAD_CTX_new(
        aead: *const EVP_AEAD,
        key: *const c_uchar,
        length: usize,
        tag: usize,
    ) -> *mut EVP_AEAD_CTX;
    #[cfg(offered = "EVP_AEAD_CTX_free")]
    pub fn EVP_AEAD_CTX_free(context: *mut EVP_AEAD_CTX);
    #[cfg(offered = "EVP_AEAD_CTX_open_gather")]
    pub fn EVP_AEAD_CTX_open_gather(
        context: *const EVP_AEAD_CTX,
        into: *mut c_uchar,
        nonce: *const c_uchar,
        nonce_length: usize,
        data: *const c_uchar,
        size: usize,
        tag: *const c_uchar,
        tag_length: usize,
        additional: *const c_uchar,
        additional_length: usize,
    ) -> c_int;
    #[cfg(offered = "EVP_AEAD_CTX_seal_scatter")]
    pub fn EVP_AEAD_CTX_seal_scatter(
        context: *const EVP_AEAD_CTX,
        into: *mut c_uchar,
        tag: *mut c_uchar,
        tag_length: *mut usize,
        room: usize,
        nonce: *const c_uchar,
        nonce_length: usize,
        data: *const c_uchar,
        size: usize,
        extra: *const c_uchar,
        extra_length: usize,
        additional: *const c_uchar,
        additional_length: usize,
    ) -> c_int;
    #[cfg(offered = "EVP_aead_aes_128_gcm")]
    pub fn EVP_aead_aes_128_gcm() -> *const EVP_AEAD;
    #[cfg(offered = "EVP_aead_aes_256_gcm")]
    pub fn EVP_aead_aes_256_gcm() -> *const EVP_AEAD;
    #[cfg(offered = "EVP_aead_chacha20_poly1305")]
    pub fn EVP_aead_chacha20_poly1305() -> *const EVP_AEAD;
    #[cfg(offered = "EVP_chacha20_poly1305")]
    pub fn EVP_chacha20_poly1305() -> *const EVP_CIPHER;
    #[cfg(offered = "EVP_CIPHER_fetch")]
    pub fn EVP_CIPHER_fetch(
        library: *mut OSSL_LIB_CTX,
        algorithm: *const c_char,
        properties: *const c_char,
    ) -> *mut EVP_CIPHER;
    #[cfg(offered = "EVP_CIPHER_free")]
    pub fn EVP_CIPHER_free(cipher: *mut EVP_CIPHER);
    #[cfg(offered = "EVP_CIPHER_get0_name")]
    pub fn EVP_CIPHER_get0_name(cipher: *const EVP_CIPHER) -> *const c_char;
    #[cfg(offered = "EVP_KDF_CTX_free")]
    pub fn EVP_KDF_CTX_free(context: *mut EVP_KDF_CTX);
    #[cfg(offered = "EVP_KDF_CTX_new")]
    pub fn EVP_KDF_CTX_new(kdf: *mut EVP_KDF) -> *mut EVP_KDF_CTX;
    #[cfg(offered = "EVP_KDF_derive")]
    pub fn EVP_KDF_derive(
        context: *mut EVP_KDF_CTX,
        into: *mut c_uchar,
        length: usize,
        parameters: *const OSSL_PARAM,
    ) -> c_int;
    #[cfg(offered = "EVP_KDF_fetch")]
    pub fn EVP_KDF_fetch(
        library: *mut OSSL_LIB_CTX,
        algorithm: *const c_char,
        properties: *const c_char,
    ) -> *mut EVP_KDF;
    #[cfg(offered = "EVP_KDF_free")]
    pub fn EVP_KDF_free(kdf: *mut EVP_KDF);
    #[cfg(offered = "EVP_MD_fetch")]
    pub fn EVP_MD_fetch(
        library: *mut OSSL_LIB_CTX,
        algorithm: *const c_char,
        properties: *const c_char,
    ) -> *mut EVP_MD;
    #[cfg(offered = "EVP_MD_free")]
    pub fn EVP_MD_free(function: *mut EVP_MD);
    #[cfg(offered = "EVP_MD_get0_name")]
    pub fn EVP_MD_get0_name(function: *const EVP_MD) -> *const c_char;
    #[cfg(offered = "EVP_PKEY_CTX_ctrl_str")]
    pub fn EVP_PKEY_CTX_ctrl_str(
        context: *mut EVP_PKEY_CTX,
        name: *const c_char,
        value: *const c_char,
    ) -> c_int;
    #[cfg(offered = "EVP_PKEY_CTX_kem_set_params")]
    pub fn EVP_PKEY_CTX_kem_set_params(context: *mut EVP_PKEY_CTX, nid: c_int) -> c_int;
    #[cfg(offered = "EVP_PKEY_CTX_new_from_name")]
    pub fn EVP_PKEY_CTX_new_from_name(
        library: *mut OSSL_LIB_CTX,
        name: *const c_char,
        properties: *const c_char,
    ) -> *mut EVP_PKEY_CTX;
    #[cfg(offered = "EVP_PKEY_CTX_set_ec_paramgen_curve_nid")]
    pub fn EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context: *mut EVP_PKEY_CTX, nid: c_int) -> c_int;
    #[cfg(offered = "EVP_PKEY_CTX_set_rsa_keygen_bits")]
    pub fn EVP_PKEY_CTX_set_rsa_keygen_bits(context: *mut EVP_PKEY_CTX, bits: c_int) -> c_int;
    #[cfg(offered = "EVP_PKEY_CTX_set_signature_md")]
    pub fn EVP_PKEY_CTX_set_signature_md(
        context: *mut EVP_PKEY_CTX,
        function: *const EVP_MD,
    ) -> c_int;
    #[cfg(offered = "EVP_PKEY_decapsulate")]
    pub fn EVP_PKEY_decapsulate(
        context: *mut EVP_PKEY_CTX,
        secret: *mut c_uchar,
        secret_length: *mut usize,
        ciphertext: *const c_uchar,
        length: usize,
    ) -> c_int;
    #[cfg(offered = "EVP_PKEY_decapsulate_init")]
    pub fn EVP_PKEY_decapsulate_init(
        context: *mut EVP_PKEY_CTX,
        parameters: *const OSSL_PARAM,
    ) -> c_int;
    #[cfg(offered = "EVP_PKEY_encapsulate")]
    pub fn EVP_PKEY_encapsulate(
        context: *mut EVP_PKEY_CTX,
        ciphertext: *mut c_uchar,
        length: *mut usize,
        secret: *mut c_uchar,
        secret_length: *mut usize,
    ) -> c_int;
    #[cfg(offered = "EVP_PKEY_encapsulate_init")]
    pub fn EVP_PKEY_encapsulate_init(
        context: *mut EVP_PKEY_CTX,
        parameters: *const OSSL_PARAM,
    ) -> c_int;
    #[cfg(offered = "HKDF")]
    pub fn HKDF(
        into: *mut c_uchar,
        length: usize,
        function: *const EVP_MD,
        secret: *const c_uchar,
        secret_length: usize,
        salt: *const c_uchar,
        salt_length: usize,
        info: *const c_uchar,
        info_length: usize,
    ) -> c_int;
    #[cfg(offered = "OSSL_PARAM_construct_octet_string")]
    pub fn OSSL_PARAM_construct_octet_string(
        key: *const c_char,
        data: *mut c_void,
        size: usize,
    ) -> OSSL_PARAM;
    #[cfg(offered = "OSSL_PARAM_construct_utf8_string")]
    pub fn OSSL_PARAM_construct_utf8_string(
        key: *const c_char,
        text: *mut c_char,
        size: usize,
    ) -> OSSL_PARAM;
}

pub const EVP_CTRL_AEAD_GET_TAG: c_int = 0x10;
pub const EVP_CTRL_AEAD_SET_TAG: c_int = 0x11;
#[cfg(offered = "EVP_PKEY_KEM")]
pub const EVP_PKEY_KEM: c_int = 970;
#[cfg(offered = "NID_MLKEM768")]
pub const NID_MLKEM768: c_int = 989;
#[cfg(offered = "NID_hkdf")]
pub const NID_hkdf: c_int = 1036;
