//! Key encapsulation with ML-KEM-768.

/// No ML-KEM through EVP: OpenSSL before 3.0, and BoringSSL, which has it elsewhere.
#[cfg(not(any(offered = "EVP_PKEY_CTX_new_from_name", offered = "EVP_PKEY_CTX_kem_set_params")))]
pub fn prepare(_: shakedown_protocol::KemWork) -> super::Prepared {
    super::lacks("ml-kem-768 in EVP")
}

#[cfg(any(offered = "EVP_PKEY_CTX_new_from_name", offered = "EVP_PKEY_CTX_kem_set_params"))]
pub use offered::prepare;

#[cfg(any(offered = "EVP_PKEY_CTX_new_from_name", offered = "EVP_PKEY_CTX_kem_set_params"))]
mod offered {
    use crate::{
        error::check,
        ffi as ssl,
        primitive::{
            Owned, Prepared,
            key::{Generator, Key, Operation, operation},
            lacks,
        },
    };
    use shakedown_driver::{
        DriverError,
        primitive::{PrimitiveOperation, Proof},
    };
    use shakedown_protocol::KemWork;
    use std::ptr;

    /// Bytes of a ciphertext, and of a secret (FIPS 203).
    const CIPHERTEXT: usize = 1088;
    const SECRET: usize = 32;

    /// Prepares an encapsulation.
    pub fn prepare(work: KemWork) -> Prepared {
        let Some(mut generator) = generator()? else { return lacks("ml-kem-768") };
        if work == KemWork::Generate {
            return Ok(Box::new(Generate(generator)));
        }
        let mut exchange = Exchange::new(generator.key()?)?;
        exchange.encapsulate()?;
        Ok(match work {
            KemWork::Encapsulate => Box::new(Encapsulate(exchange)),
            _ => Box::new(Decapsulate(exchange)),
        })
    }

    /// `None` where the library has no ML-KEM.
    #[cfg(offered = "EVP_PKEY_CTX_new_from_name")]
    fn generator() -> Result<Option<Generator>, DriverError> {
        // SAFETY: the name is a C string, and the operation is ours.
        unsafe {
            let name = c"ML-KEM-768".as_ptr();
            let made = ssl::EVP_PKEY_CTX_new_from_name(ptr::null_mut(), name, ptr::null());
            // Before 3.5 it makes an operation that does nothing.
            let made = Owned::new("EVP_PKEY_CTX_new_from_name", made, ssl::EVP_PKEY_CTX_free);
            Ok(made.and_then(Generator::ready).ok())
        }
    }

    /// AWS-LC has numbers for these.
    #[cfg(not(offered = "EVP_PKEY_CTX_new_from_name"))]
    fn generator() -> Result<Option<Generator>, DriverError> {
        // SAFETY: the operation is ours.
        unsafe {
            let made = ssl::EVP_PKEY_CTX_new_id(ssl::EVP_PKEY_KEM, ptr::null_mut());
            let made = Owned::new("EVP_PKEY_CTX_new_id", made, ssl::EVP_PKEY_CTX_free)?;
            let set = ssl::EVP_PKEY_CTX_kem_set_params(made.as_ptr(), ssl::NID_MLKEM768);
            check("EVP_PKEY_CTX_kem_set_params", set)?;
            Generator::ready(made).map(Some)
        }
    }

    /// A key pair and operations with it.
    struct Exchange {
        sender: Operation,
        receiver: Operation,
        ciphertext: [u8; CIPHERTEXT],
        sent: [u8; SECRET],
        received: [u8; SECRET],
        _key: Key,
    }

    impl Exchange {
        fn new(key: Key) -> Result<Self, DriverError> {
            let (sender, receiver) = (operation(key.as_ptr())?, operation(key.as_ptr())?);
            #[cfg(offered = "EVP_PKEY_encapsulate_init")]
            // SAFETY: the operations are ours.
            unsafe {
                let begun = ssl::EVP_PKEY_encapsulate_init(sender.as_ptr(), ptr::null());
                check("EVP_PKEY_encapsulate_init", begun)?;
                let begun = ssl::EVP_PKEY_decapsulate_init(receiver.as_ptr(), ptr::null());
                check("EVP_PKEY_decapsulate_init", begun)?;
            }
            let (sent, received) = ([0; SECRET], [0; SECRET]);
            let ciphertext = [0; CIPHERTEXT];
            Ok(Self { sender, receiver, ciphertext, sent, received, _key: key })
        }

        #[inline]
        fn encapsulate(&mut self) -> Result<(), DriverError> {
            let (mut length, mut secret_length) = (CIPHERTEXT, SECRET);
            // SAFETY: there is room for both.
            check("EVP_PKEY_encapsulate", unsafe {
                ssl::EVP_PKEY_encapsulate(
                    self.sender.as_ptr(),
                    self.ciphertext.as_mut_ptr(),
                    &raw mut length,
                    self.sent.as_mut_ptr(),
                    &raw mut secret_length,
                )
            })
        }

        #[inline]
        fn decapsulate(&mut self) -> Result<(), DriverError> {
            let mut length = SECRET;
            // SAFETY: there is room for the secret.
            check("EVP_PKEY_decapsulate", unsafe {
                ssl::EVP_PKEY_decapsulate(
                    self.receiver.as_ptr(),
                    self.received.as_mut_ptr(),
                    &raw mut length,
                    self.ciphertext.as_ptr(),
                    CIPHERTEXT,
                )
            })
        }

        /// Both secrets, and whether another ciphertext has another secret.
        fn prove(&mut self) -> Result<Proof, DriverError> {
            self.encapsulate()?;
            self.decapsulate()?;
            let secrets = [self.sent.to_vec(), self.received.to_vec()];
            self.ciphertext[0] ^= 1;
            self.decapsulate()?;
            self.ciphertext[0] ^= 1;
            let discerns = Some(self.received != self.sent);
            Ok(Proof { secrets: Some(secrets), discerns, ..Proof::default() })
        }
    }

    struct Generate(Generator);

    impl PrimitiveOperation for Generate {
        fn run(&mut self, operations: u64) -> Result<(), DriverError> {
            (0..operations).try_for_each(|_| self.0.key().map(drop))
        }

        fn prove(&mut self) -> Result<Proof, DriverError> {
            Exchange::new(self.0.key()?)?.prove()
        }
    }

    struct Encapsulate(Exchange);

    impl PrimitiveOperation for Encapsulate {
        fn run(&mut self, operations: u64) -> Result<(), DriverError> {
            (0..operations).try_for_each(|_| self.0.encapsulate())
        }

        fn prove(&mut self) -> Result<Proof, DriverError> {
            self.0.prove()
        }
    }

    struct Decapsulate(Exchange);

    impl PrimitiveOperation for Decapsulate {
        fn run(&mut self, operations: u64) -> Result<(), DriverError> {
            (0..operations).try_for_each(|_| self.0.decapsulate())
        }

        fn prove(&mut self) -> Result<Proof, DriverError> {
            self.0.prove()
        }
    }
}
