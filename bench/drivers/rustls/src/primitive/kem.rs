//! Key encapsulation with ML-KEM-768.

use super::{
    Prepared, failed,
    library::kem::{AlgorithmId, Ciphertext, DecapsulationKey, EncapsulationKey, ML_KEM_768},
};
use shakedown_driver::{
    DriverError,
    primitive::{PrimitiveOperation, Proof},
};
use shakedown_protocol::KemWork;
use std::hint::black_box;

/// Prepares an encapsulation.
pub fn prepare(work: KemWork) -> Prepared {
    Ok(match work {
        KemWork::Generate => Box::new(Generate),
        KemWork::Encapsulate => Box::new(Encapsulate(Pair::new()?)),
        KemWork::Decapsulate => {
            let pair = Pair::new()?;
            let (ciphertext, _) = pair.public.encapsulate().map_err(failed("encapsulating"))?;
            let ciphertext = ciphertext.as_ref().to_vec();
            Box::new(Decapsulate { pair, ciphertext })
        }
    })
}

struct Pair {
    private: DecapsulationKey<AlgorithmId>,
    public: EncapsulationKey<AlgorithmId>,
}

impl Pair {
    fn new() -> Result<Self, DriverError> {
        let private = DecapsulationKey::generate(&ML_KEM_768).map_err(failed("generating"))?;
        let public = private.encapsulation_key().map_err(failed("generating"))?;
        Ok(Self { private, public })
    }

    fn secret(&self, ciphertext: &[u8]) -> Result<Vec<u8>, DriverError> {
        let secret = self.private.decapsulate(Ciphertext::from(ciphertext));
        Ok(secret.map_err(failed("decapsulating"))?.as_ref().to_vec())
    }

    fn prove(&self) -> Result<Proof, DriverError> {
        let (ciphertext, sent) = self.public.encapsulate().map_err(failed("encapsulating"))?;
        let mut ciphertext = ciphertext.as_ref().to_vec();
        let received = self.secret(&ciphertext)?;
        ciphertext[0] ^= 1;
        let discerns = Some(self.secret(&ciphertext)? != received);
        let secrets = Some([sent.as_ref().to_vec(), received]);
        Ok(Proof { secrets, discerns, ..Proof::default() })
    }
}

struct Generate;

impl PrimitiveOperation for Generate {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        (0..operations).try_for_each(|_| Pair::new().map(|pair| drop(black_box(pair))))
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        Pair::new()?.prove()
    }
}

struct Encapsulate(Pair);

impl PrimitiveOperation for Encapsulate {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        for _ in 0..operations {
            black_box(self.0.public.encapsulate().map_err(failed("encapsulating"))?);
        }
        Ok(())
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        self.0.prove()
    }
}

struct Decapsulate {
    pair: Pair,
    ciphertext: Vec<u8>,
}

impl PrimitiveOperation for Decapsulate {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        for _ in 0..operations {
            let secret = self.pair.private.decapsulate(Ciphertext::from(&self.ciphertext[..]));
            black_box(secret.map_err(failed("decapsulating"))?);
        }
        Ok(())
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        self.pair.prove()
    }
}
