//! Diffie-Hellman.

use super::{
    Prepared,
    key::{Generator, Key, Operation, operation},
};
use crate::{error::check, ffi as ssl};
use shakedown_driver::{
    DriverError,
    primitive::{PrimitiveOperation, Proof},
};
use shakedown_protocol::{AgreementWork, Group};

/// Longest secret: the coordinate of a point of P-384.
const LONGEST: usize = 48;

/// Prepares an agreement.
pub fn prepare(group: Group, work: AgreementWork) -> Prepared {
    let mut generator = Generator::of_group(group)?;
    Ok(match work {
        AgreementWork::Generate => Box::new(Generate(generator)),
        AgreementWork::Agree => {
            let keys = [generator.key()?, generator.key()?];
            Box::new(Agree { mine: Deriver::new(&keys[0], &keys[1])?, keys })
        }
    })
}

/// Derives a secret again and again.
struct Deriver {
    operation: Operation,
    secret: [u8; LONGEST],
    length: usize,
}

impl Deriver {
    fn new(own: &Key, peer: &Key) -> Result<Self, DriverError> {
        let operation = operation(own.as_ptr())?;
        // SAFETY: the operation is ours, and both keys are alive.
        unsafe {
            check("EVP_PKEY_derive_init", ssl::EVP_PKEY_derive_init(operation.as_ptr()))?;
            let set = ssl::EVP_PKEY_derive_set_peer(operation.as_ptr(), peer.as_ptr());
            check("EVP_PKEY_derive_set_peer", set)?;
        }
        Ok(Self { operation, secret: [0; LONGEST], length: 0 })
    }

    #[inline]
    fn derive(&mut self) -> Result<(), DriverError> {
        self.length = LONGEST;
        let (into, length) = (self.secret.as_mut_ptr(), &raw mut self.length);
        // SAFETY: the operation is ours, and there is room for any secret.
        check("EVP_PKEY_derive", unsafe {
            ssl::EVP_PKEY_derive(self.operation.as_ptr(), into, length)
        })
    }

    fn secret(&mut self) -> Result<Vec<u8>, DriverError> {
        self.derive()?;
        Ok(self.secret[..self.length].to_vec())
    }
}

/// Secrets that peers with these keys derive.
fn secrets(keys: &[Key; 2]) -> Result<Proof, DriverError> {
    let [one, other] = keys;
    let secrets = [Deriver::new(one, other)?.secret()?, Deriver::new(other, one)?.secret()?];
    Ok(Proof { secrets: Some(secrets), ..Proof::default() })
}

struct Generate(Generator);

impl PrimitiveOperation for Generate {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        (0..operations).try_for_each(|_| self.0.key().map(drop))
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        secrets(&[self.0.key()?, self.0.key()?])
    }
}

struct Agree {
    mine: Deriver,
    keys: [Key; 2],
}

impl PrimitiveOperation for Agree {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        (0..operations).try_for_each(|_| self.mine.derive())
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        let peers = secrets(&self.keys)?.secrets.map(|[_, peers]| peers).unwrap_or_default();
        Ok(Proof { secrets: Some([self.mine.secret()?, peers]), ..Proof::default() })
    }
}
