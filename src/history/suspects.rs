//! The suspects of a history.

use anyhow::{Context, Result};
use shakedown_store::{
    Index, Store,
    change::{self, Suspect, SuspectSummary, TrackedSuspect},
};

/// Lays a suspect out, with the repository that its revisions are from.
///
/// # Errors
/// If the index fails.
pub fn describe(index: &Index, known: TrackedSuspect) -> Result<SuspectSummary> {
    let Suspect { first_bad_run, series, .. } = &known.suspect;
    let repository = index.repository(first_bad_run, &series.subject)?;
    Ok(SuspectSummary::new(known, repository))
}

/// The suspect with this id.
///
/// # Errors
/// If no suspect has it.
pub fn find_suspect(store: &Store, id: &str) -> Result<TrackedSuspect> {
    let known = change::suspects(store)?.into_iter().find(|known| known.suspect.id == id);
    known.with_context(|| {
        format!("no suspect has the id `{id}`: see `shakedown history changes --all`")
    })
}

/// Every suspect of a history, laid out.
///
/// # Errors
/// If it can't be read.
pub fn listed(store: &Store, index: &Index) -> Result<Vec<SuspectSummary>> {
    let mut listed = Vec::new();
    for known in change::suspects(store)? {
        listed.push(describe(index, known)?);
    }
    Ok(listed)
}
