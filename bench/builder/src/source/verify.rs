//! Verifies downloads.

use crate::{BuildError, digest};
use std::path::Path;

/// Compares a file's digest with the expected one. An empty expected digest passes: cargo has
/// already checked its archives against the registry's index.
pub(super) fn check_digest(path: &Path, what: &str, expected: &str) -> Result<(), BuildError> {
    let found = digest::file(path).map_err(BuildError::io("read", path))?;
    if found == expected || expected.is_empty() {
        return Ok(());
    }
    Err(BuildError::Digest { what: what.to_owned(), expected: expected.to_owned(), found })
}
