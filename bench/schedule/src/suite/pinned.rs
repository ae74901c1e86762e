//! A suite's name with the digest that its file must have: `quick@sha256:0123456789ab`.

use super::SuiteError;
use sha2::{Digest, Sha256};
use std::path::Path;

/// Between a name and the digest.
const MARK: &str = "@sha256:";
/// Digits that are enough to tell two files apart, and to write on a command line.
const DIGITS: usize = 12;

/// A suite as it was asked for.
pub(super) struct PinnedName<'a> {
    /// Name or path.
    pub(super) name: &'a str,
    /// First digits of the file's SHA-256.
    digest: Option<&'a str>,
}

impl<'a> PinnedName<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Self, SuiteError> {
        let Some((name, digest)) = text.rsplit_once(MARK) else {
            return Ok(Self { name: text, digest: None });
        };
        let hexadecimal = |c: char| matches!(c, '0'..='9' | 'a'..='f');
        if !(DIGITS..=64).contains(&digest.len()) || !digest.chars().all(hexadecimal) {
            return Err(SuiteError::Pin(format!(
                "`{text}`: behind {MARK} stand {DIGITS} to 64 digits of a SHA-256, in lower case"
            )));
        }
        Ok(Self { name, digest: Some(digest) })
    }

    /// Refuses a file that is not the one that was asked for.
    pub(super) fn check(&self, path: &Path, sha256: &str) -> Result<(), SuiteError> {
        let Some(wanted) = self.digest.filter(|wanted| !sha256.starts_with(*wanted)) else {
            return Ok(());
        };
        Err(SuiteError::Pin(format!(
            "{} has SHA-256 {}, not {wanted}: it is not the suite that was asked for. To measure with it as it is, \
             leave out {MARK}{wanted}",
            path.display(),
            &sha256[..wanted.len()]
        )))
    }
}

/// The digest of a file with this text.
pub(super) fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
