//! HKDF.

use super::{Prepared, function};
use shakedown_driver::{
    DriverError,
    primitive::{PrimitiveOperation, Proof, digest_length},
};
use shakedown_protocol::HashFunction;

/// Prepares HKDF.
pub fn prepare(which: HashFunction) -> Prepared {
    let output = vec![0; digest_length(which)];
    Ok(Box::new(Hkdf { derive: derive::Derive::new(which)?, output }))
}

struct Hkdf {
    derive: derive::Derive,
    output: Vec<u8>,
}

impl PrimitiveOperation for Hkdf {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        (0..operations).try_for_each(|_| self.derive.derive(&mut self.output))
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        self.run(1)?;
        Ok(Proof { output: Some(self.output.clone()), ..Proof::default() })
    }
}

/// One function does it.
#[cfg(offered = "HKDF")]
mod derive {
    use super::{DriverError, HashFunction, function};
    use crate::{error::check, ffi as ssl};
    use shakedown_driver::primitive::{INFO, SALT, SECRET};

    pub struct Derive(*const ssl::EVP_MD);

    impl Derive {
        pub fn new(which: HashFunction) -> Result<Self, DriverError> {
            function(which).map(Self)
        }

        #[inline]
        pub fn derive(&mut self, into: &mut [u8]) -> Result<(), DriverError> {
            // SAFETY: everything is as long as it is said to be.
            check("HKDF", unsafe {
                ssl::HKDF(
                    into.as_mut_ptr(),
                    into.len(),
                    self.0,
                    SECRET.as_ptr(),
                    SECRET.len(),
                    SALT.as_ptr(),
                    SALT.len(),
                    INFO.as_ptr(),
                    INFO.len(),
                )
            })
        }
    }
}

/// A KDF of EVP, with the parameters that it is given each time.
#[cfg(all(not(offered = "HKDF"), offered = "EVP_KDF_derive"))]
mod derive {
    use super::{DriverError, HashFunction, function};
    use crate::{error::check, ffi as ssl, owned::Owned};
    use shakedown_driver::primitive::{INFO, SALT, SECRET};
    use std::{ffi::CStr, ptr};

    pub struct Derive {
        context: Owned<ssl::EVP_KDF_CTX>,
        parameters: [ssl::OSSL_PARAM; 5],
        _kdf: Owned<ssl::EVP_KDF>,
    }

    impl Derive {
        pub fn new(which: HashFunction) -> Result<Self, DriverError> {
            function(which)?;
            let name = crate::primitive::fetch::hash_name(which);
            // SAFETY: names are C strings, the context is ours, and what parameters point to is
            // constant. The library does not write to it.
            unsafe {
                let kdf = ssl::EVP_KDF_fetch(ptr::null_mut(), c"HKDF".as_ptr(), ptr::null());
                let kdf = Owned::new("EVP_KDF_fetch", kdf, ssl::EVP_KDF_free)?;
                let context = ssl::EVP_KDF_CTX_new(kdf.as_ptr());
                let context = Owned::new("EVP_KDF_CTX_new", context, ssl::EVP_KDF_CTX_free)?;
                let octets = |key: &CStr, data: &'static [u8]| {
                    let place = data.as_ptr().cast_mut().cast();
                    ssl::OSSL_PARAM_construct_octet_string(key.as_ptr(), place, data.len())
                };
                let digest = name.as_ptr().cast_mut();
                let parameters = [
                    ssl::OSSL_PARAM_construct_utf8_string(c"digest".as_ptr(), digest, 0),
                    octets(c"key", &SECRET),
                    octets(c"salt", &SALT),
                    octets(c"info", &INFO),
                    ssl::OSSL_PARAM_construct_end(),
                ];
                Ok(Self { context, parameters, _kdf: kdf })
            }
        }

        #[inline]
        pub fn derive(&mut self, into: &mut [u8]) -> Result<(), DriverError> {
            let (place, length) = (into.as_mut_ptr(), into.len());
            // SAFETY: the context is ours, and the parameters live.
            check("EVP_KDF_derive", unsafe {
                let all = self.parameters.as_ptr();
                ssl::EVP_KDF_derive(self.context.as_ptr(), place, length, all)
            })
        }
    }
}

/// An operation without a key, before OpenSSL 3.0: it forgets everything when it begins.
#[cfg(not(any(offered = "HKDF", offered = "EVP_KDF_derive")))]
mod derive {
    use super::{DriverError, HashFunction, function};
    use crate::{error::check, ffi as ssl, owned::Owned};
    use shakedown_driver::primitive::{INFO, SALT, SECRET};
    use std::{
        ffi::{CStr, CString},
        ptr,
    };

    pub struct Derive {
        operation: Owned<ssl::EVP_PKEY_CTX>,
        digest: &'static CStr,
        /// Secret, salt and info, as this interface takes them.
        hexadecimal: [(&'static CStr, CString); 3],
    }

    impl Derive {
        pub fn new(which: HashFunction) -> Result<Self, DriverError> {
            function(which)?;
            let digest = match which {
                HashFunction::Sha256 => c"SHA256",
                HashFunction::Sha384 => c"SHA384",
                HashFunction::Sha512 => c"SHA512",
            };
            let hexadecimal = |bytes: &[u8]| {
                let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                CString::new(digits)
            };
            // SAFETY: the operation is ours.
            let operation = unsafe {
                let made = ssl::EVP_PKEY_CTX_new_id(ssl::NID_hkdf, ptr::null_mut());
                Owned::new("EVP_PKEY_CTX_new_id", made, ssl::EVP_PKEY_CTX_free)?
            };
            let hexadecimal = [
                (c"hexkey", hexadecimal(&SECRET)?),
                (c"hexsalt", hexadecimal(&SALT)?),
                (c"hexinfo", hexadecimal(&INFO)?),
            ];
            Ok(Self { operation, digest, hexadecimal })
        }

        #[inline]
        pub fn derive(&mut self, into: &mut [u8]) -> Result<(), DriverError> {
            let operation = self.operation.as_ptr();
            // SAFETY: the operation is ours, everything is a C string, and the output as long as
            // it is said to be.
            unsafe {
                check("EVP_PKEY_derive_init", ssl::EVP_PKEY_derive_init(operation))?;
                let digest = self.digest.as_ptr();
                let set = ssl::EVP_PKEY_CTX_ctrl_str(operation, c"md".as_ptr(), digest);
                check("the hash function of HKDF", set)?;
                for (name, value) in &self.hexadecimal {
                    let (name, value) = (name.as_ptr(), value.as_ptr());
                    let set = ssl::EVP_PKEY_CTX_ctrl_str(operation, name, value);
                    check("an input of HKDF", set)?;
                }
                let mut length = into.len();
                let derived = ssl::EVP_PKEY_derive(operation, into.as_mut_ptr(), &raw mut length);
                check("EVP_PKEY_derive", derived)
            }
        }
    }
}
