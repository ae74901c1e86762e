//! What configurations refer to: certificates, keys, random numbers, tickets, the cache.

use crate::ffi::{self, check, made};
use shakedown_driver::{DriverError, c_path};
use std::{ffi::c_void, path::Path, ptr};

macro_rules! owned {
    ($(#[$doc:meta])* $name:ident, $raw:ident, $init:ident, $free:ident) => {
        $(#[$doc])*
        pub struct $name(Box<ffi::$raw>);

        impl $name {
            /// Without content.
            pub fn new() -> Self {
                Self(made(ffi::$init))
            }

            /// The library's pointer, valid for as long as `self`.
            pub fn as_ptr(&self) -> *mut ffi::$raw {
                ptr::from_ref(&*self.0).cast_mut()
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: it was initialised, and nothing refers to it any longer.
                unsafe { ffi::$free(self.as_ptr()) };
            }
        }

        // SAFETY: built with threads in mind: what changes has a lock of its own.
        unsafe impl Send for $name {}
        // SAFETY: as above.
        unsafe impl Sync for $name {}
    };
}

owned!(
    /// A chain of certificates.
    Certificates, mbedtls_x509_crt, mbedtls_x509_crt_init, mbedtls_x509_crt_free
);
owned!(
    /// A private key.
    Key, mbedtls_pk_context, mbedtls_pk_init, mbedtls_pk_free
);
owned!(
    /// Where random numbers begin.
    Entropy, mbedtls_entropy_context, mbedtls_entropy_init, mbedtls_entropy_free
);
owned!(
    /// The generator of random numbers.
    Generator, mbedtls_ctr_drbg_context, mbedtls_ctr_drbg_init, mbedtls_ctr_drbg_free
);
owned!(
    /// What a server's tickets are encrypted with.
    TicketKeys, mbedtls_ssl_ticket_context, mbedtls_ssl_ticket_init, mbedtls_ssl_ticket_free
);
owned!(
    /// A server's session cache.
    Cache, mbedtls_ssl_cache_context, mbedtls_ssl_cache_init, mbedtls_ssl_cache_free
);
owned!(
    /// A session to resume.
    Resumable, mbedtls_ssl_session, mbedtls_ssl_session_init, mbedtls_ssl_session_free
);

/// Random numbers for all threads.
pub struct Random {
    generator: Generator,
    /// Referred to by the generator.
    _entropy: Entropy,
}

impl Random {
    /// A generator, seeded by the system.
    ///
    /// # Errors
    /// What the library says.
    pub fn new() -> Result<Self, DriverError> {
        let (generator, entropy) = (Generator::new(), Entropy::new());
        let from: *mut c_void = entropy.as_ptr().cast();
        // SAFETY: both live as long as the result.
        check("mbedtls_ctr_drbg_seed", unsafe {
            let read = Some(ffi::mbedtls_entropy_func as _);
            ffi::mbedtls_ctr_drbg_seed(generator.as_ptr(), read, from, ptr::null(), 0)
        })?;
        Ok(Self { generator, _entropy: entropy })
    }

    /// What its function takes first.
    pub fn context(&self) -> *mut c_void {
        self.generator.as_ptr().cast()
    }
}

impl Certificates {
    /// Those of a PEM file.
    ///
    /// # Errors
    /// What the library says.
    pub fn read(path: &Path) -> Result<Self, DriverError> {
        let (certificates, name) = (Self::new(), c_path(path)?);
        // SAFETY: the name is a C string.
        let code =
            unsafe { ffi::mbedtls_x509_crt_parse_file(certificates.as_ptr(), name.as_ptr()) };
        check("mbedtls_x509_crt_parse_file", code)?;
        Ok(certificates)
    }
}

impl Key {
    /// That of a PEM file.
    ///
    /// # Errors
    /// What the library says.
    pub fn read(path: &Path, random: &Random) -> Result<Self, DriverError> {
        let (key, name) = (Self::new(), c_path(path)?);
        let draw = Some(ffi::mbedtls_ctr_drbg_random as _);
        // SAFETY: the name is a C string; there is no password.
        check("mbedtls_pk_parse_keyfile", unsafe {
            let from = random.context();
            ffi::mbedtls_pk_parse_keyfile(key.as_ptr(), name.as_ptr(), ptr::null(), draw, from)
        })?;
        Ok(key)
    }
}
