//! Run records on their way into the history.

use crate::clock::now_ms;
use anyhow::{Context, Result};
use shakedown_store::{AddOutcome, Store, StoreError};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What became of a file that should be added.
#[derive(Debug)]
pub enum AddedRecord {
    /// The history has it.
    Stored(AddOutcome),
    /// It is no sound record: the reason, and where it was put aside.
    Refused(StoreError),
}

/// Adds the record at `path`, a file or the folder of a run. Gives the file too.
///
/// # Errors
/// If the file can't be read, or the history can't be written to.
pub fn add_record(store: &Store, path: &Path) -> Result<(PathBuf, AddedRecord)> {
    let file = if path.is_dir() { shakedown_schedule::record_path(path) } else { path.to_owned() };
    let bytes = fs::read(&file).with_context(|| format!("can't read {}", file.display()))?;
    match store.add(&String::from_utf8_lossy(&bytes), now_ms()?) {
        Ok(added) => Ok((file, AddedRecord::Stored(added))),
        Err(error @ StoreError::Refused { .. }) => Ok((file, AddedRecord::Refused(error))),
        Err(error) => Err(error).with_context(|| file.display().to_string()),
    }
}
