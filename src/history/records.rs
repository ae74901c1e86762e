//! Run records and verdicts of studies on their way into the history.

use crate::clock::now_ms;
use anyhow::{Context, Result, bail};
use shakedown_schedule::record_path;
use shakedown_store::{AddOutcome, Store, StoreError};
use shakedown_study::{StudyJudgement, VERDICTS_FILE};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// What became of a file that should be added.
#[derive(Debug)]
pub enum AddedRecord {
    /// The history has it.
    Stored(AddOutcome),
    /// It is not sound: the reason, and where it was put aside.
    Refused(StoreError),
}

/// Adds the record at `path`, a file or the folder of a run. Gives the file too.
///
/// # Errors
/// If the file can't be read, or the history can't be written to.
pub fn add_record(store: &Store, path: &Path) -> Result<(PathBuf, AddedRecord)> {
    let file = if path.is_dir() { record_path(path) } else { path.to_owned() };
    let text = read(&file)?;
    let added = outcome(store.add(&text, now_ms()?)).with_context(|| file.display().to_string())?;
    Ok((file, added))
}

/// Adds what is at `path`: a record, the folder of a run, or that of a study with its runs and verdicts. The verdicts
/// come last, so that the history has the runs that they name.
///
/// # Errors
/// If a file can't be read or a run that was measured is missing, or the history can't be written to.
pub fn add_path(store: &Store, path: &Path) -> Result<Vec<(PathBuf, AddedRecord)>> {
    let verdicts = path.join(VERDICTS_FILE);
    if !verdicts.is_file() {
        return Ok(vec![add_record(store, path)?]);
    }
    let text = read(&verdicts)?;
    let judgement: StudyJudgement = serde_json::from_str(&text)
        .with_context(|| format!("{} holds no verdicts of a study", verdicts.display()))?;
    let mut all = Vec::new();
    for folder in measured_runs(path, &judgement)? {
        all.push(add_record(store, &folder)?);
    }
    // Without what this program does not know of.
    let known = serde_json::to_string(&judgement)?;
    let added =
        outcome(store.add_study(&known, now_ms()?)).with_context(|| path.display().to_string())?;
    all.push((verdicts, added));
    Ok(all)
}

/// The folders of the runs that a study measured, beside its verdicts.
fn measured_runs(path: &Path, judgement: &StudyJudgement) -> Result<Vec<PathBuf>> {
    // A run that no claim needs on its host was not measured, and nothing was missing.
    let measured = judgement.subjects.iter().filter(|subject| subject.built.is_some());
    let ids: BTreeSet<&String> = measured.map(|subject| &subject.run).collect();
    let folder = |id: &String| {
        // An id comes from a file: it names a folder beside the verdicts, and no other.
        let plain = id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        let folder = path.join(id);
        if plain && record_path(&folder).is_file() {
            return Ok(folder);
        }
        bail!("{} has no run `{}`, which its verdicts name", path.display(), id.escape_debug())
    };
    ids.into_iter().map(folder).collect()
}

fn read(file: &Path) -> Result<String> {
    let bytes = fs::read(file).with_context(|| format!("can't read {}", file.display()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn outcome(added: Result<AddOutcome, StoreError>) -> Result<AddedRecord, StoreError> {
    match added {
        Ok(added) => Ok(AddedRecord::Stored(added)),
        Err(error @ StoreError::Refused { .. }) => Ok(AddedRecord::Refused(error)),
        Err(error) => Err(error),
    }
}
