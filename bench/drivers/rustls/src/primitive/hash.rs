//! Hash functions, and HKDF.

use super::{
    Prepared, failed,
    library::{digest, hkdf},
};
use shakedown_driver::{
    DriverError,
    primitive::{INFO, PrimitiveOperation, Proof, SALT, SECRET, digest_length, message},
};
use shakedown_protocol::{HashFunction, Size};
use std::hint::black_box;

/// Prepares a hash function.
pub fn digest(function: HashFunction, size: Size) -> Prepared {
    let algorithm = match function {
        HashFunction::Sha256 => &digest::SHA256,
        HashFunction::Sha384 => &digest::SHA384,
        HashFunction::Sha512 => &digest::SHA512,
    };
    Ok(Box::new(Digest { algorithm, data: message(size.0 as usize) }))
}

struct Digest {
    algorithm: &'static digest::Algorithm,
    data: Vec<u8>,
}

impl PrimitiveOperation for Digest {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        for _ in 0..operations {
            black_box(digest::digest(self.algorithm, black_box(&self.data)));
        }
        Ok(())
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        let output = digest::digest(self.algorithm, &self.data).as_ref().to_vec();
        Ok(Proof { output: Some(output), ..Proof::default() })
    }
}

/// Prepares HKDF.
pub fn hkdf(function: HashFunction) -> Prepared {
    let algorithm = match function {
        HashFunction::Sha256 => hkdf::HKDF_SHA256,
        HashFunction::Sha384 => hkdf::HKDF_SHA384,
        HashFunction::Sha512 => hkdf::HKDF_SHA512,
    };
    Ok(Box::new(Hkdf { algorithm, output: vec![0; digest_length(function)] }))
}

struct Hkdf {
    algorithm: hkdf::Algorithm,
    output: Vec<u8>,
}

/// Bytes to expand to.
struct Length(usize);

impl hkdf::KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

impl PrimitiveOperation for Hkdf {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        for _ in 0..operations {
            // The salt belongs to the operation: it may be the key of an HMAC.
            let key = hkdf::Salt::new(self.algorithm, &SALT).extract(&SECRET);
            let info = [&INFO[..]];
            let output = key.expand(&info, Length(self.output.len())).map_err(failed("HKDF"))?;
            output.fill(&mut self.output).map_err(failed("HKDF"))?;
        }
        Ok(())
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        self.run(1)?;
        Ok(Proof { output: Some(self.output.clone()), ..Proof::default() })
    }
}
