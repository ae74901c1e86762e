//! Keys, certificates and roots, from bytes to what the library makes of them.

use crate::{
    error::{check, failure},
    ffi as ssl, interface,
    owned::Owned,
};
use shakedown_driver::{
    DriverError, c_path,
    load::{LoadConfig, LoadOperation, Loaded},
};
use shakedown_protocol::{DriverRefusal, Encoding, Load};
use std::{
    ffi::{CString, c_int},
    ptr,
};

/// Prepares to load something.
///
/// # Errors
/// What this library can't do.
pub fn prepare(config: &LoadConfig) -> Result<Box<dyn LoadOperation>, DriverRefusal> {
    interface::initialize()?;
    Ok(match config.load {
        Load::Key { encoding, .. } => Box::new(Keys(Input::new(config, encoding)?)),
        Load::Chain { encoding, .. } => Box::new(Chains(Input::new(config, encoding)?)),
        Load::Roots
            if cfg!(all(offered = "X509_STORE_get0_objects", offered = "OPENSSL_sk_num")) =>
        {
            Box::new(Roots(c_path(config.file())?))
        }
        Load::Roots => {
            let text = "this version does not tell how many roots a store has";
            return Err(DriverRefusal::Unsupported(text.to_owned()));
        }
    })
}

/// What is read.
enum Input {
    Pem(Vec<u8>),
    Der(Vec<Vec<u8>>),
}

impl Input {
    fn new(config: &LoadConfig, encoding: Encoding) -> Result<Self, DriverError> {
        Ok(match encoding {
            Encoding::Pem => Self::Pem(config.pem().to_vec()),
            Encoding::Der => Self::Der(config.der()?),
        })
    }
}

/// A BIO that reads these bytes, without a copy.
fn reader(bytes: &[u8]) -> Result<Owned<ssl::BIO>, DriverError> {
    // SAFETY: the callers keep the bytes for as long as the BIO.
    unsafe {
        let bio = ssl::BIO_new_mem_buf(bytes.as_ptr().cast(), bytes.len() as _);
        Owned::new("BIO_new_mem_buf", bio, ssl::BIO_free_all)
    }
}

/// What `write` writes down of an object, in DER.
fn encoded(what: &str, write: impl Fn(*mut *mut u8) -> c_int) -> Result<Vec<u8>, DriverError> {
    let length = usize::try_from(write(ptr::null_mut())).map_err(|_| failure(what))?;
    let mut der = vec![0; length];
    let mut end = der.as_mut_ptr();
    // It writes as many bytes as it said before.
    write(&raw mut end);
    Ok(der)
}

struct Keys(Input);

impl Keys {
    #[inline]
    fn key(&self) -> Result<Owned<ssl::EVP_PKEY>, DriverError> {
        // SAFETY: no password is asked for; the bytes are as many as is said. The key is ours.
        unsafe {
            let key = match &self.0 {
                Input::Pem(text) => {
                    let (bio, none) = (reader(text)?, ptr::null_mut());
                    let cb = ptr::null_mut();
                    ssl::PEM_read_bio_PrivateKey(bio.as_ptr(), ptr::null_mut(), cb, none)
                }
                Input::Der(parts) => {
                    let der = parts.first().map_or(&[][..], Vec::as_slice);
                    let mut from = der.as_ptr();
                    ssl::d2i_AutoPrivateKey(ptr::null_mut(), &raw mut from, der.len() as _)
                }
            };
            Owned::new("reading the key", key, ssl::EVP_PKEY_free)
        }
    }
}

impl LoadOperation for Keys {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        (0..operations).try_for_each(|_| self.key().map(drop))
    }

    fn loaded(&mut self) -> Result<Loaded, DriverError> {
        let key = self.key()?;
        // SAFETY: the key is alive, and there is room.
        encoded("i2d_PUBKEY", |into| unsafe { ssl::i2d_PUBKEY(key.as_ptr(), into) })
            .map(Loaded::Key)
    }
}

struct Chains(Input);

type Certificate = Owned<ssl::X509>;

impl Chains {
    /// Reads the certificates and hands each to `take`.
    #[inline]
    fn each(
        &self,
        mut take: impl FnMut(Certificate) -> Result<(), DriverError>,
    ) -> Result<(), DriverError> {
        match &self.0 {
            Input::Pem(text) => {
                let bio = reader(text)?;
                let none = ptr::null_mut;
                // SAFETY: no password is asked for, and the certificates are ours.
                unsafe {
                    loop {
                        let cb = ptr::null_mut();
                        let next =
                            ssl::PEM_read_bio_X509(bio.as_ptr(), ptr::null_mut(), cb, none());
                        if next.is_null() {
                            // The end of the text is an error to the library.
                            ssl::ERR_clear_error();
                            return Ok(());
                        }
                        take(Owned::new("PEM_read_bio_X509", next, ssl::X509_free)?)?;
                    }
                }
            }
            Input::Der(parts) => parts.iter().try_for_each(|der| {
                let mut from = der.as_ptr();
                // SAFETY: the bytes are as many as is said, and the certificate is ours.
                unsafe {
                    let read = ssl::d2i_X509(ptr::null_mut(), &raw mut from, der.len() as _);
                    take(Owned::new("d2i_X509", read, ssl::X509_free)?)
                }
            }),
        }
    }
}

/// Reads the public key, which some releases leave until somebody asks.
#[inline]
fn decode_public_key(certificate: &Certificate) -> Result<(), DriverError> {
    // SAFETY: the certificate is alive, and the key is ours.
    unsafe {
        let key = ssl::X509_get_pubkey(certificate.as_ptr());
        Owned::new("X509_get_pubkey", key, ssl::EVP_PKEY_free).map(drop)
    }
}

impl LoadOperation for Chains {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        (0..operations).try_for_each(|_| self.each(|one| decode_public_key(&one)))
    }

    fn loaded(&mut self) -> Result<Loaded, DriverError> {
        let mut chain = Vec::new();
        self.each(|one| {
            decode_public_key(&one)?;
            // SAFETY: the certificate is alive, and there is room.
            chain.push(encoded("i2d_X509", |into| unsafe { ssl::i2d_X509(one.as_ptr(), into) })?);
            Ok(())
        })?;
        Ok(Loaded::Chain(chain))
    }
}

/// The name of the file.
struct Roots(CString);

impl Roots {
    #[inline]
    fn store(&self) -> Result<Owned<ssl::X509_STORE>, DriverError> {
        // SAFETY: the store is ours, and the name a C string.
        unsafe {
            let store = ssl::X509_STORE_new();
            let store = Owned::new("X509_STORE_new", store, ssl::X509_STORE_free)?;
            let (file, folder) = (self.0.as_ptr(), ptr::null());
            let read = ssl::X509_STORE_load_locations(store.as_ptr(), file, folder);
            check("X509_STORE_load_locations", read)?;
            Ok(store)
        }
    }
}

impl LoadOperation for Roots {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        (0..operations).try_for_each(|_| self.store().map(drop))
    }

    fn loaded(&mut self) -> Result<Loaded, DriverError> {
        Ok(Loaded::Roots(count(&self.store()?)))
    }
}

/// How many roots a store has.
#[cfg(all(offered = "X509_STORE_get0_objects", offered = "OPENSSL_sk_num"))]
fn count(store: &Owned<ssl::X509_STORE>) -> usize {
    // SAFETY: the store is alive and owns the list, whose type the library erases.
    unsafe { ssl::OPENSSL_sk_num(ssl::X509_STORE_get0_objects(store.as_ptr()).cast()) as usize }
}

/// How many roots a store has, which nothing tells.
#[cfg(not(all(offered = "X509_STORE_get0_objects", offered = "OPENSSL_sk_num")))]
fn count(_: &Owned<ssl::X509_STORE>) -> usize {
    0
}
