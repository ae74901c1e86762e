//! Asks the forge how a repository is set up, and says what is missing.

use super::{
    Adoption, AdoptionRequest, LABEL, POLICY, QUEUE, WORKFLOWS, files,
    inspect::{SetupItem, SetupState, inspect},
    workflow_path,
};
use crate::{
    clock::now_ms,
    github::{
        refused,
        runner_releases::{RUNNER, published},
    },
    project::ProjectRoot,
};
use anyhow::{Context, Result};
use shakedown_forge::{Forge, ForgeOptions, RepoName, RetrySleep, Token};
use shakedown_host::KnownRunnerReleases;
use std::path::PathBuf;

/// Whom to ask, and with which token.
#[derive(Debug)]
pub struct AdoptionCheck {
    /// Base URL of the API.
    pub api_url: String,
    /// API that knows the releases of the runner.
    pub releases_api: String,
    /// File with the token; the default is the variable `GITHUB_TOKEN`.
    pub token_file: Option<PathBuf>,
}

/// Every item of the repository's set-up.
///
/// # Errors
/// A token that can't be read; errors of the forge.
pub fn all_items(
    root: &ProjectRoot,
    request: AdoptionRequest,
    check: &AdoptionCheck,
) -> Result<Vec<SetupItem>> {
    let adoption = request.resolve(root, false)?;
    let token = match &check.token_file {
        Some(path) => Some(
            std::fs::read_to_string(path)
                .with_context(|| format!("can't read the token in {}", path.display()))?,
        ),
        None => std::env::var("GITHUB_TOKEN").ok().filter(|token| !token.trim().is_empty()),
    };
    let options = |api_url: &str, repo: &RepoName, token: Option<&String>| ForgeOptions {
        api_url: api_url.to_owned(),
        repo: repo.clone(),
        token: token.map(|token| Token::new(token)),
        tries: 4,
        dry_run: false,
        retry_sleep: RetrySleep::Sleep,
    };
    let forge =
        Forge::new(options(&check.api_url, &adoption.repo, token.as_ref())).map_err(refused)?;
    let mut paths: Vec<String> =
        WORKFLOWS.iter().chain([&QUEUE]).map(|name| workflow_path(name)).collect();
    paths.push(POLICY.to_owned());
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let settings = forge.settings(&paths, &[LABEL]).map_err(refused)?;
    let now_ms = now_ms()?;
    let runner = RUNNER.parse().map_err(refused)?;
    let releases =
        Forge::anonymous(options(&check.releases_api, &runner, None)).map_err(refused)?;
    let releases = releases.releases().map_err(refused)?;
    let releases = published(&releases).into_iter().map(|(release, _)| release).collect();
    let known = KnownRunnerReleases { checked_ms: now_ms, releases };
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
