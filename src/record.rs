//! Reading run records.

use anyhow::{Context, Result};
use shakedown_protocol::RunRecord;
use std::{fs, path::Path};

/// Reads a record from a file or the folder that it is in.
///
/// # Errors
/// Why it can't be read, with its path.
pub fn read(path: &Path) -> Result<RunRecord> {
    let path = if path.is_dir() { shakedown_schedule::record_path(path) } else { path.to_owned() };
    let text =
        fs::read_to_string(&path).with_context(|| format!("can't read {}", path.display()))?;
    RunRecord::from_json(&text).with_context(|| path.display().to_string())
}
