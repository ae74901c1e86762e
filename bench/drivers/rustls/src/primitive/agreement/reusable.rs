//! Diffie-Hellman.

use super::{
    Prepared, failed,
    library::agreement::{Algorithm, PrivateKey, UnparsedPublicKey, agree},
};
use shakedown_driver::{
    DriverError,
    primitive::{PrimitiveOperation, Proof},
};
use shakedown_protocol::AgreementWork;
use std::hint::black_box;

/// Prepares an agreement.
pub fn prepare(algorithm: &'static Algorithm, work: AgreementWork) -> Prepared {
    Ok(match work {
        AgreementWork::Generate => Box::new(Generate(algorithm)),
        AgreementWork::Agree => {
            Box::new(Agree { mine: Pair::new(algorithm)?, peers: Pair::new(algorithm)? })
        }
    })
}

struct Pair {
    private: PrivateKey,
    public: UnparsedPublicKey<Vec<u8>>,
}

impl Pair {
    fn new(algorithm: &'static Algorithm) -> Result<Self, DriverError> {
        let private = PrivateKey::generate(algorithm).map_err(failed("generating"))?;
        let public = private.compute_public_key().map_err(failed("generating"))?;
        let public = UnparsedPublicKey::new(algorithm, public.as_ref().to_vec());
        Ok(Self { private, public })
    }

    fn secret(&self, peer: &Self) -> Result<Vec<u8>, DriverError> {
        let none = DriverError("agreeing".to_owned());
        agree(&self.private, &peer.public, none, |secret| Ok(secret.to_vec()))
    }
}

struct Generate(&'static Algorithm);

impl PrimitiveOperation for Generate {
    /// With the public key, without which a key pair is none.
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        for _ in 0..operations {
            let private = PrivateKey::generate(self.0).map_err(failed("generating"))?;
            black_box(private.compute_public_key().map_err(failed("generating"))?);
        }
        Ok(())
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        let (one, other) = (Pair::new(self.0)?, Pair::new(self.0)?);
        let secrets = [one.secret(&other)?, other.secret(&one)?];
        Ok(Proof { secrets: Some(secrets), ..Proof::default() })
    }
}

struct Agree {
    mine: Pair,
    peers: Pair,
}

impl PrimitiveOperation for Agree {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        for _ in 0..operations {
            let first = agree(&self.mine.private, &self.peers.public, (), |secret| Ok(secret[0]));
            black_box(first.map_err(|()| DriverError("agreeing".to_owned()))?);
        }
        Ok(())
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        let secrets = [self.mine.secret(&self.peers)?, self.peers.secret(&self.mine)?];
        Ok(Proof { secrets: Some(secrets), ..Proof::default() })
    }
}
