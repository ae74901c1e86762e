//! Whether the right thing was loaded.

use super::{LoadConfig, LoadOperation};
use crate::DriverError;
use shakedown_protocol::{DriverRefusal, Load};

/// What a library says that it loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loaded {
    /// A key: its public half, as SubjectPublicKeyInfo in DER.
    Key(Vec<u8>),
    /// Certificates, in DER.
    Chain(Vec<Vec<u8>>),
    /// A store with this many roots.
    Roots(usize),
}

/// Loads once and looks at what came of it.
///
/// # Errors
/// [`DriverRefusal::Broken`] for anything else than what is in the file, or the library's error.
pub fn check(config: &LoadConfig, operation: &mut dyn LoadOperation) -> Result<(), DriverRefusal> {
    if operation.loaded()? == expected(config)? {
        Ok(())
    } else {
        let text = format!("{}: something else was loaded than the file has", config.load);
        Err(DriverRefusal::Broken(text))
    }
}

fn expected(config: &LoadConfig) -> Result<Loaded, DriverError> {
    Ok(match config.load {
        Load::Key { .. } => Loaded::Key(config.public_key()?.unwrap_or_default()),
        Load::Chain { .. } => Loaded::Chain(config.der()?),
        Load::Roots => Loaded::Roots(Load::ROOTS),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    struct Says(Loaded);

    impl LoadOperation for Says {
        fn run(&mut self, _: u64) -> Result<(), DriverError> {
            Ok(())
        }

        fn loaded(&mut self) -> Result<Loaded, DriverError> {
            Ok(self.0.clone())
        }
    }

    #[test]
    fn what_is_not_in_the_file_is_found() {
        let pki = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../pki"));
        let config = |id: &str| {
            let shakedown_protocol::Scenario::Load(load) = id.parse().unwrap() else { panic!() };
            LoadConfig::read(load, pki).unwrap()
        };
        let right = |config: &LoadConfig, loaded| check(config, &mut Says(loaded)).is_ok();
        let roots = config("load/roots-150");
        assert_eq!(roots.der().unwrap().len(), 150, "the file has as many as the id says");
        assert!(right(&roots, Loaded::Roots(150)) && !right(&roots, Loaded::Roots(149)));
        let chain = config("load/chain/ecdsa-p256/pem");
        let mut certificates = chain.der().unwrap();
        assert!(right(&chain, Loaded::Chain(certificates.clone())));
        certificates.pop();
        assert!(!right(&chain, Loaded::Chain(certificates)));
        let (one, other) = (config("load/key/ecdsa-p256/pem"), config("load/key/rsa-2048/der"));
        let public = one.public_key().unwrap().unwrap();
        assert!(right(&one, Loaded::Key(public.clone())) && !right(&other, Loaded::Key(public)));
    }
}
