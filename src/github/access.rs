//! How commands that look at one repository reach the forge.

use super::{
    refused,
    runner_releases::{RUNNER, published},
};
use anyhow::{Context, Result};
use clap::ValueHint;
use shakedown_forge::{Forge, ForgeOptions, RepoName, RetrySleep, Token};
use shakedown_host::KnownRunnerReleases;
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// Whom to ask, and with which token.
#[derive(Debug, clap::Args)]
pub struct ForgeAccess {
    /// Base URL of the API
    #[arg(
        long,
        value_name = "URL",
        env = "GITHUB_API_URL",
        default_value = "https://api.github.com"
    )]
    api_url: String,
    /// API that knows the releases of the runner
    #[arg(long, value_name = "URL", default_value = "https://api.github.com")]
    releases_api: String,
    /// File with the token [default: the variable GITHUB_TOKEN]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    token_file: Option<PathBuf>,
}

impl ForgeAccess {
    /// A client for a repository.
    ///
    /// # Errors
    /// No token, or one that can't be read.
    pub fn forge(&self, repo: &RepoName) -> Result<Forge> {
        let token = token(self.token_file.as_deref())?;
        Forge::new(forge_options(&self.api_url, repo.clone(), token)).map_err(refused)
    }

    /// The releases of the runner, as they are now.
    ///
    /// # Errors
    /// What the API says.
    pub fn runner_releases(&self, now_ms: u64) -> Result<KnownRunnerReleases> {
        let runner: RepoName = RUNNER.parse().map_err(refused)?;
        let forge = Forge::anonymous(forge_options(&self.releases_api, runner, None));
        let all = forge.and_then(|forge| forge.releases()).map_err(refused)?;
        let releases = published(&all).into_iter().map(|(release, _)| release).collect();
        Ok(KnownRunnerReleases { checked_ms: now_ms, releases })
    }
}

/// The token in a file, or else that of the variable `GITHUB_TOKEN`.
///
/// # Errors
/// A file that can't be read.
pub fn token(file: Option<&Path>) -> Result<Option<Token>> {
    let text = match file {
        Some(path) => Some(
            fs::read_to_string(path)
                .with_context(|| format!("can't read the token in {}", path.display()))?,
        ),
        None => env::var("GITHUB_TOKEN").ok().filter(|token| !token.trim().is_empty()),
    };
    Ok(text.map(|text| Token::new(&text)))
}

/// Options of a client that really asks, and waits between tries.
pub fn forge_options(api_url: &str, repo: RepoName, token: Option<Token>) -> ForgeOptions {
    ForgeOptions {
        api_url: api_url.to_owned(),
        repo,
        token,
        tries: 4,
        dry_run: false,
        retry_sleep: RetrySleep::Sleep,
    }
}
