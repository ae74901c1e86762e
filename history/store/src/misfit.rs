//! Subjects in the index whose driver did not fit.

use crate::StoreError;
use rusqlite::{Transaction, params};
use shakedown_protocol::{Incompatible, RunPlan, SubjectVersion};

/// A subject that its driver did not measure, with the request.
pub(crate) struct MisfitSubject<'a> {
    found: &'a Incompatible,
    suite: &'a str,
    only: Vec<String>,
}

/// Those of a plan.
pub(crate) fn misfits(plan: &RunPlan) -> Vec<MisfitSubject<'_>> {
    let (suite, only) = match &plan.fallback {
        Some(fallback) => (&fallback.suite, fallback.only.clone()),
        // The others of the run were measured as asked for.
        None => (&plan.suite, plan.scenarios.iter().map(ToString::to_string).collect()),
    };
    plan.incompatible().map(|found| MisfitSubject { found, suite, only: only.clone() }).collect()
}

/// Its revision, as in [`crate::Build`]; `None` if it can't be fetched again.
fn revision(found: &Incompatible) -> Option<String> {
    match (&found.revision, &found.resolved.version) {
        (_, SubjectVersion::Path(_)) => None,
        (Some(revision), _) => Some(revision.clone()),
        (None, _) => Some(found.resolved.to_string()),
    }
}

/// Adds it to the index.
pub(crate) fn enter(
    change: &Transaction<'_>,
    run: i64,
    misfit: &MisfitSubject<'_>,
) -> Result<(), StoreError> {
    let MisfitSubject { found, suite, only } = misfit;
    let Some(revision) = revision(found) else { return Ok(()) };
    change
        .prepare_cached(
            "INSERT OR REPLACE INTO misfit
               (run, subject, asked, resolved, revision, suite, only_ids, misfit, error)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            run,
            found.followed_name(),
            found.subject.to_string(),
            found.resolved.to_string(),
            revision,
            suite,
            only.join("\n"),
            found.misfit.to_string(),
            found.error,
        ])?;
    Ok(())
}
