//! Signatures. RSA and ECDSA sign a digest; Ed25519 has to see the message.

use super::{
    Owned, Prepared, function,
    hash::digest,
    key::{Generator, Operation, operation, read},
};
use crate::{
    error::{check, failure},
    ffi as ssl,
};
use shakedown_driver::{
    DriverError, Pki,
    primitive::{Generate, Generations, MESSAGE, Sign, Signatures, Verifications, Verify},
};
use shakedown_protocol::{CertificateKey, HashFunction, SignatureWork};
use std::ptr;

/// Longest signature: that of RSA with 4096 bits.
const LONGEST: usize = 512;

/// Prepares a signature.
pub fn prepare(kind: CertificateKey, work: SignatureWork, pki: &Pki) -> Prepared {
    let read = read(pki)?;
    Ok(match work {
        SignatureWork::Generate => {
            Box::new(Generations(KeyPairs { generator: Generator::of_type(kind)?, kind }))
        }
        // What is made of the key holds a reference to it.
        SignatureWork::Sign => {
            let (signer, verifier) = (Signer::new(read.key, kind)?, Verifier::new(read.key, kind)?);
            Box::new(Signatures { signer, verifier, kind })
        }
        SignatureWork::Verify => Box::new(Verifications::new(Verifier::new(read.key, kind)?, pki)?),
    })
}

/// Signs the message again and again.
struct Signer {
    context: Context,
    digest: Vec<u8>,
    signature: [u8; LONGEST],
    length: usize,
}

/// Checks signatures of the message.
struct Verifier {
    context: Context,
    digest: Vec<u8>,
}

enum Context {
    /// With a digest.
    Key(Operation),
    /// With the message.
    Message(Owned<ssl::EVP_MD_CTX>),
}

/// The digest that is signed: none where the message itself is.
fn hash(kind: CertificateKey) -> Option<HashFunction> {
    match kind {
        CertificateKey::Ed25519 => None,
        CertificateKey::EcdsaP384 => Some(HashFunction::Sha384),
        _ => Some(HashFunction::Sha256),
    }
}

type Begin = unsafe extern "C" fn(*mut ssl::EVP_PKEY_CTX) -> std::ffi::c_int;
type BeginMessage = unsafe extern "C" fn(
    *mut ssl::EVP_MD_CTX,
    *mut *mut ssl::EVP_PKEY_CTX,
    *const ssl::EVP_MD,
    *mut ssl::ENGINE,
    *mut ssl::EVP_PKEY,
) -> std::ffi::c_int;

impl Context {
    /// Begins, and says what is signed: a digest, or the message.
    fn new(
        key: *mut ssl::EVP_PKEY,
        kind: CertificateKey,
        begin: Begin,
        begin_message: BeginMessage,
    ) -> Result<(Self, Vec<u8>), DriverError> {
        // SAFETY: the caller's key is alive, and the contexts are ours.
        unsafe {
            let Some(hash) = hash(kind) else {
                let context = ssl::EVP_MD_CTX_new();
                let context = Owned::new("EVP_MD_CTX_new", context, ssl::EVP_MD_CTX_free)?;
                let (none, engine) = (ptr::null_mut(), ptr::null_mut());
                let begun = begin_message(context.as_ptr(), none, ptr::null(), engine, key);
                check("EVP_DigestSignInit or EVP_DigestVerifyInit", begun)?;
                return Ok((Self::Message(context), MESSAGE.to_vec()));
            };
            let operation = operation(key)?;
            check("EVP_PKEY_sign_init or EVP_PKEY_verify_init", begin(operation.as_ptr()))?;
            check("the hash function of a signature", set_hash(operation.as_ptr(), hash)?)?;
            Ok((Self::Key(operation), digest(hash, &MESSAGE)?))
        }
    }
}

/// Makes a context ready for its next message: newer releases of OpenSSL want it, and keep the key.
#[cfg(offered = "EVP_CIPHER_fetch")]
#[inline]
unsafe fn again(context: *mut ssl::EVP_MD_CTX, begin: BeginMessage) -> Result<(), DriverError> {
    let (none, engine, key) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    // SAFETY: the caller's context is alive and has a key.
    check("beginning a message", unsafe { begin(context, none, ptr::null(), engine, key) })
}

/// A context serves again and again.
#[cfg(not(offered = "EVP_CIPHER_fetch"))]
#[allow(clippy::unnecessary_wraps, reason = "newer releases may fail")]
#[inline]
unsafe fn again(_: *mut ssl::EVP_MD_CTX, _: BeginMessage) -> Result<(), DriverError> {
    Ok(())
}

#[cfg(offered = "EVP_PKEY_CTX_set_signature_md")]
unsafe fn set_hash(
    operation: *mut ssl::EVP_PKEY_CTX,
    hash: HashFunction,
) -> Result<std::ffi::c_int, DriverError> {
    // SAFETY: as the caller says; the function lives as long as the process.
    Ok(unsafe { ssl::EVP_PKEY_CTX_set_signature_md(operation, function(hash)?) })
}

/// A macro before OpenSSL 3.0.
#[cfg(not(offered = "EVP_PKEY_CTX_set_signature_md"))]
unsafe fn set_hash(
    operation: *mut ssl::EVP_PKEY_CTX,
    hash: HashFunction,
) -> Result<std::ffi::c_int, DriverError> {
    let name = if hash == HashFunction::Sha384 { c"SHA384" } else { c"SHA256" };
    // SAFETY: as the caller says; both are C strings.
    Ok(unsafe { ssl::EVP_PKEY_CTX_ctrl_str(operation, c"digest".as_ptr(), name.as_ptr()) })
}

impl Signer {
    fn new(key: *mut ssl::EVP_PKEY, kind: CertificateKey) -> Result<Self, DriverError> {
        let (context, digest) =
            Context::new(key, kind, ssl::EVP_PKEY_sign_init, ssl::EVP_DigestSignInit)?;
        Ok(Self { context, digest, signature: [0; LONGEST], length: 0 })
    }
}

impl Sign for Signer {
    #[inline]
    fn sign(&mut self) -> Result<(), DriverError> {
        self.length = LONGEST;
        let (into, length) = (self.signature.as_mut_ptr(), &raw mut self.length);
        let (data, size) = (self.digest.as_ptr(), self.digest.len());
        // SAFETY: the context is ours, and there is room for any signature.
        check("signing", unsafe {
            match &self.context {
                Context::Key(key) => ssl::EVP_PKEY_sign(key.as_ptr(), into, length, data, size),
                Context::Message(context) => {
                    again(context.as_ptr(), ssl::EVP_DigestSignInit)?;
                    ssl::EVP_DigestSign(context.as_ptr(), into, length, data, size)
                }
            }
        })
    }

    fn signature(&self) -> &[u8] {
        &self.signature[..self.length]
    }
}

impl Verifier {
    fn new(key: *mut ssl::EVP_PKEY, kind: CertificateKey) -> Result<Self, DriverError> {
        let (context, digest) =
            Context::new(key, kind, ssl::EVP_PKEY_verify_init, ssl::EVP_DigestVerifyInit)?;
        Ok(Self { context, digest })
    }
}

impl Verify for Verifier {
    #[inline]
    fn verify(&mut self, signature: &[u8]) -> Result<(), DriverError> {
        let (from, length) = (signature.as_ptr(), signature.len());
        let (data, size) = (self.digest.as_ptr(), self.digest.len());
        // SAFETY: the context is ours.
        let right = unsafe {
            match &self.context {
                Context::Key(key) => ssl::EVP_PKEY_verify(key.as_ptr(), from, length, data, size),
                Context::Message(context) => {
                    again(context.as_ptr(), ssl::EVP_DigestVerifyInit)?;
                    ssl::EVP_DigestVerify(context.as_ptr(), from, length, data, size)
                }
            }
        };
        if right == 1 { Ok(()) } else { Err(failure("verifying")) }
    }
}

struct KeyPairs {
    generator: Generator,
    kind: CertificateKey,
}

impl Generate for KeyPairs {
    type Signer = Signer;
    type Verifier = Verifier;

    #[inline]
    fn generate(&mut self) -> Result<(), DriverError> {
        self.generator.key().map(drop)
    }

    fn pair(&mut self) -> Result<(Signer, Verifier), DriverError> {
        // Both hold references to the key.
        let key = self.generator.key()?;
        let signer = Signer::new(key.as_ptr(), self.kind)?;
        Ok((signer, Verifier::new(key.as_ptr(), self.kind)?))
    }
}
