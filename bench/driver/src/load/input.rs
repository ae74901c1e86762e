//! The bytes that are loaded.

use crate::{DriverError, Pki};
use base64::{Engine, engine::general_purpose::STANDARD};
use shakedown_protocol::Load;
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What a stack prepares to load, and the bytes of it.
#[derive(Debug, Clone)]
pub struct LoadConfig {
    /// What it is.
    pub load: Load,
    pki: PathBuf,
    file: PathBuf,
    pem: Vec<u8>,
}

impl LoadConfig {
    /// Reads the file of the test certificates under `pki`.
    ///
    /// # Errors
    /// If it can't be read.
    pub fn read(load: Load, pki: &Path) -> Result<Self, DriverError> {
        let file = match load {
            Load::Key { key, .. } => Pki::new(pki, key).server_key(),
            Load::Chain { key, .. } => Pki::new(pki, key).server_chain(),
            Load::Roots => pki.join("roots.pem"),
        };
        let pem =
            fs::read(&file).map_err(|error| DriverError(format!("{}: {error}", file.display())))?;
        Ok(Self { load, pki: pki.to_owned(), file, pem })
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Its text.
    pub fn pem(&self) -> &[u8] {
        &self.pem
    }

    /// What the text holds, each in its binary form.
    ///
    /// # Errors
    /// For what is no PEM.
    pub fn der(&self) -> Result<Vec<Vec<u8>>, DriverError> {
        decode(std::str::from_utf8(&self.pem)?)
    }

    /// The server's public key, as another library wrote it down.
    ///
    /// # Errors
    /// If it can't be read.
    pub(super) fn public_key(&self) -> Result<Option<Vec<u8>>, DriverError> {
        let Load::Key { key, .. } = self.load else { return Ok(None) };
        Ok(Some(fs::read(Pki::new(&self.pki, key).server_public_key())?))
    }
}

/// The binary form of each part of a PEM text.
fn decode(text: &str) -> Result<Vec<Vec<u8>>, DriverError> {
    let (mut parts, mut body) = (Vec::new(), String::new());
    for line in text.lines() {
        if line.starts_with("-----BEGIN ") {
            body.clear();
        } else if line.starts_with("-----END ") {
            parts.push(STANDARD.decode(&body)?);
        } else {
            body.push_str(line);
        }
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_a_pem_is_decoded() {
        let text = "words\n-----BEGIN A-----\nAAEC\nAw==\n-----END A-----\n-----BEGIN B-----\n/w==\n-----END B-----\n";
        assert_eq!(decode(text).unwrap(), [vec![0, 1, 2, 3], vec![255]]);
        assert!(decode("-----BEGIN A-----\n*\n-----END A-----\n").is_err());
    }
}
