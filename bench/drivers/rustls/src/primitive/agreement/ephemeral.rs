//! Diffie-Hellman with keys that serve once: ring's type system says so.

use super::{
    Prepared, failed,
    library::{
        agreement::{Algorithm, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral},
        rand::SystemRandom,
    },
};
use shakedown_driver::{
    DriverError,
    primitive::{PrimitiveOperation, Proof},
};
use shakedown_protocol::AgreementWork;
use std::hint::black_box;

/// Prepares an agreement.
pub fn prepare(algorithm: &'static Algorithm, work: AgreementWork) -> Prepared {
    let maker = Maker { algorithm, random: SystemRandom::new() };
    Ok(match work {
        AgreementWork::Generate => Box::new(Generate(maker)),
        AgreementWork::Agree => {
            let peer = maker.pair()?.1;
            Box::new(Agree { maker, peer, keys: Vec::new() })
        }
    })
}

type PublicKey = UnparsedPublicKey<Vec<u8>>;

struct Maker {
    algorithm: &'static Algorithm,
    random: SystemRandom,
}

impl Maker {
    fn private(&self) -> Result<EphemeralPrivateKey, DriverError> {
        EphemeralPrivateKey::generate(self.algorithm, &self.random).map_err(failed("generating"))
    }

    fn pair(&self) -> Result<(EphemeralPrivateKey, PublicKey), DriverError> {
        let private = self.private()?;
        let public = private.compute_public_key().map_err(failed("generating"))?;
        Ok((private, UnparsedPublicKey::new(self.algorithm, public.as_ref().to_vec())))
    }

    fn prove(&self) -> Result<Proof, DriverError> {
        let ((mine, public), (peers, peers_public)) = (self.pair()?, self.pair()?);
        let secret = |key, public: &PublicKey| {
            agree_ephemeral(key, public, <[u8]>::to_vec).map_err(failed("agreeing"))
        };
        let secrets = [secret(mine, &peers_public)?, secret(peers, &public)?];
        Ok(Proof { secrets: Some(secrets), ..Proof::default() })
    }
}

struct Generate(Maker);

impl PrimitiveOperation for Generate {
    /// With the public key, without which a key pair is none.
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        for _ in 0..operations {
            let private = self.0.private()?;
            black_box(private.compute_public_key().map_err(failed("generating"))?);
        }
        Ok(())
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        self.0.prove()
    }
}

struct Agree {
    maker: Maker,
    peer: PublicKey,
    keys: Vec<EphemeralPrivateKey>,
}

impl PrimitiveOperation for Agree {
    fn prepare(&mut self, operations: u64) -> Result<(), DriverError> {
        while (self.keys.len() as u64) < operations {
            self.keys.push(self.maker.private()?);
        }
        Ok(())
    }

    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        for _ in 0..operations {
            let key = self.keys.pop().ok_or_else(|| DriverError("no key is left".to_owned()))?;
            let first = agree_ephemeral(key, &self.peer, |secret| secret[0]);
            black_box(first.map_err(failed("agreeing"))?);
        }
        Ok(())
    }

    fn prove(&mut self) -> Result<Proof, DriverError> {
        self.maker.prove()
    }
}
