//! Keys, certificates and roots, from bytes to what rustls makes of them.

use crate::{identity, provider};
use pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, pem::PemObject};
use rustls::crypto::CryptoProvider;
use shakedown_driver::{
    DriverError,
    load::{LoadConfig, LoadOperation, Loaded},
};
use shakedown_protocol::{DriverRefusal, Encoding, Load};
use std::{hint::black_box, path::PathBuf};

/// Prepares to load something.
///
/// # Errors
/// [`DriverRefusal::Unsupported`] for a key that could not be checked.
pub fn prepare(config: &LoadConfig) -> Result<Box<dyn LoadOperation>, DriverRefusal> {
    Ok(match config.load {
        Load::Key { encoding, .. } => {
            let keys = Keys { provider: provider::whole(), input: Input::new(config, encoding)? };
            if keys.public()?.is_none() {
                let text = "neither this release nor its provider tells the public half of a key that was loaded";
                return Err(DriverRefusal::Unsupported(text.to_owned()));
            }
            Box::new(keys)
        }
        Load::Chain { encoding, .. } => Box::new(Chains(Input::new(config, encoding)?)),
        Load::Roots => Box::new(Roots(config.file().to_owned())),
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

struct Keys {
    provider: CryptoProvider,
    input: Input,
}

/// A key that the provider signs with.
macro_rules! load {
    ($keys:expr) => {{
        let der = $keys.der()?;
        $keys.provider.key_provider.load_private_key(der)
    }};
}

impl Keys {
    #[inline]
    fn der(&self) -> Result<PrivateKeyDer<'static>, DriverError> {
        match &self.input {
            Input::Pem(text) => Ok(PrivateKeyDer::from_pem_slice(text)?),
            Input::Der(parts) => {
                let der = parts.first().cloned().unwrap_or_default();
                Ok(PrivatePkcs8KeyDer::from(der).into())
            }
        }
    }

    /// The public half, where the key tells it.
    fn public(&self) -> Result<Option<Vec<u8>>, DriverError> {
        let key = load!(self)?;
        #[cfg(public_key = "told")]
        let public = key.public_key().map(|public| public.to_vec());
        #[cfg(public_key = "untold")]
        let public = {
            drop(key);
            None
        };
        Ok(public)
    }
}

impl LoadOperation for Keys {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        for _ in 0..operations {
            black_box(load!(self)?);
        }
        Ok(())
    }

    fn loaded(&mut self) -> Result<Loaded, DriverError> {
        Ok(Loaded::Key(self.public()?.unwrap_or_default()))
    }
}

struct Chains(Input);

impl Chains {
    /// The certificates. rustls keeps their bytes; their public keys are read as for a check that they
    /// fit the private one.
    #[inline]
    fn chain(&self) -> Result<Vec<CertificateDer<'static>>, DriverError> {
        let chain: Vec<CertificateDer<'static>> = match &self.0 {
            Input::Pem(text) => CertificateDer::pem_slice_iter(text).collect::<Result<_, _>>()?,
            Input::Der(parts) => parts.iter().cloned().map(CertificateDer::from).collect(),
        };
        for certificate in &chain {
            black_box(identity::key_in(certificate)?);
        }
        Ok(chain)
    }
}

impl LoadOperation for Chains {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        for _ in 0..operations {
            black_box(self.chain()?);
        }
        Ok(())
    }

    fn loaded(&mut self) -> Result<Loaded, DriverError> {
        let chain = self.chain()?;
        Ok(Loaded::Chain(chain.iter().map(|certificate| certificate.to_vec()).collect()))
    }
}

/// The file.
struct Roots(PathBuf);

impl LoadOperation for Roots {
    fn run(&mut self, operations: u64) -> Result<(), DriverError> {
        for _ in 0..operations {
            black_box(identity::roots([&self.0])?);
        }
        Ok(())
    }

    fn loaded(&mut self) -> Result<Loaded, DriverError> {
        Ok(Loaded::Roots(identity::roots([&self.0])?.len()))
    }
}
