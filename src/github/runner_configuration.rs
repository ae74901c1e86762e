//! The configuration with which this host's runner takes one job.

use super::access::forge_options;
use anyhow::{Context, Result};
use shakedown_forge::{
    Forge, ForgeOptions, RepoName, Token,
    registration::{self, AppKey, RunnerConfiguration, RunnerOwner, RunnerRequest},
};
use std::{
    env, fs,
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

/// Who may request it.
#[derive(Debug)]
pub enum RunnerCredential {
    /// A token.
    Token(PathBuf),
    /// A GitHub App: its ID and its key.
    App(String, PathBuf),
    /// Another machine: the file with its address, and that with a token for it.
    Broker(PathBuf, Option<PathBuf>),
}

/// What is requested.
#[derive(Debug)]
pub struct ConfigurationRequest {
    /// Base URL of the API.
    pub api_url: String,
    /// The repository.
    pub repo: RepoName,
    /// Whose jobs the runner takes.
    pub owner: RunnerOwner,
    /// Name of the runner.
    pub name: String,
    /// Labels besides those that GitHub's own set-up adds.
    pub labels: Vec<String>,
    /// Who may request it.
    pub credential: RunnerCredential,
}

/// Requests it.
///
/// # Errors
/// A credential that can't be used; what the forge or the broker says.
pub fn runner_configuration(asked: ConfigurationRequest) -> Result<RunnerConfiguration> {
    let own = ["self-hosted", system(), architecture()].map(str::to_owned);
    let labels = own.into_iter().chain(asked.labels).collect();
    let wanted = RunnerRequest { owner: asked.owner, name: asked.name, labels };
    let options = |api_url: &str, token| forge_options(api_url, asked.repo.clone(), token);
    Ok(match &asked.credential {
        RunnerCredential::Broker(url, token) => {
            let url = read(url)?.trim().to_owned();
            let token = token.as_ref().map(read).transpose()?.map(|text| Token::new(&text));
            let broker = Forge::anonymous(options(&url, token))?;
            registration::from_broker(&broker, &url, &wanted)?
        }
        RunnerCredential::Token(path) => {
            let token = Token::new(&read(path)?);
            registration::request(&Forge::new(options(&asked.api_url, Some(token)))?, &wanted)?
        }
        RunnerCredential::App(id, path) => {
            let options = options(&asked.api_url, None);
            let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
            let token = AppKey::read(id, path)?.token(&options, &wanted.owner, now)?;
            let forge = Forge::new(ForgeOptions { token: Some(token), ..options })?;
            registration::request(&forge, &wanted)?
        }
    })
}

fn read(path: &PathBuf) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("can't read {}", path.display()))
}

/// As the runner names it in its own labels.
fn system() -> &'static str {
    if env::consts::OS == "linux" { "Linux" } else { env::consts::OS }
}

fn architecture() -> &'static str {
    match env::consts::ARCH {
        "x86_64" => "X64",
        "aarch64" => "ARM64",
        other => other,
    }
}
