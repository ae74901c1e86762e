//! Asks the forge how a repository is set up, and says what is missing.

use super::{
    Adoption, AdoptionRequest, LABEL, POLICY, QUEUE, WORKFLOWS, files,
    inspect::{SetupItem, SetupState, inspect},
    workflow_path,
};
use crate::{
    clock::now_ms,
    github::{access::ForgeAccess, refused},
    project::ProjectRoot,
};
use anyhow::Result;

/// Every item of the repository's set-up.
///
/// # Errors
/// A token that can't be read; errors of the forge.
pub fn all_items(
    root: &ProjectRoot,
    request: AdoptionRequest,
    access: &ForgeAccess,
) -> Result<Vec<SetupItem>> {
    let adoption = request.resolve(root, false)?;
    let forge = access.forge(&adoption.repo)?;
    let mut paths: Vec<String> =
        WORKFLOWS.iter().chain([&QUEUE]).map(|name| workflow_path(name)).collect();
    paths.push(POLICY.to_owned());
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let settings = forge.settings(&paths, &[LABEL]).map_err(refused)?;
    let now_ms = now_ms()?;
    let known = access.runner_releases(now_ms)?;
    let all = Adoption { merge_queue: true, ..adoption.clone() };
    Ok(inspect(&adoption, &settings, &files::files(root, &all)?, &known, now_ms))
}

/// Whether nothing is missing.
pub fn is_complete(items: &[SetupItem]) -> bool {
    items.iter().all(|item| item.state != SetupState::Missing)
}

/// What is not as it should be comes with what to do.
pub fn text(items: &[SetupItem]) -> String {
    let mut text = String::new();
    for item in items {
        let SetupItem { what, found, fix, state } = item;
        let found = shakedown_report::plain(found);
        let word = match state {
            SetupState::Ok => "ok",
            SetupState::Advice => "advice",
            SetupState::Missing => "MISSING",
            SetupState::Unknown => "unknown",
        };
        text += &format!("{word:8} {what}: {found}\n");
        if !fix.is_empty() {
            text += &format!("         {fix}\n");
        }
    }
    let count = |state| items.iter().filter(|item| item.state == state).count();
    let (missing, unknown) = (count(SetupState::Missing), count(SetupState::Unknown));
    text + &format!("{missing} missing, {unknown} unknown, {} items\n", items.len())
}
