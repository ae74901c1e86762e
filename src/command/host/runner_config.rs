//! `shakedown host runner-config`.

use crate::{
    exit::Exit,
    github::runner_configuration::{ConfigurationRequest, RunnerCredential, runner_configuration},
    output::print,
};
use anyhow::{Result, bail};
use clap::ValueHint;
use shakedown_forge::{RepoName, registration::RunnerOwner};
use std::path::PathBuf;

/// Request a just-in-time configuration, with which this host's runner takes one job.
///
/// It is printed on standard output, and is a secret until the runner has used it. An offline runner of the
/// same name is removed.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The repository; of an organization's runner, one of those whose jobs it takes
    #[arg(long, value_name = "OWNER/NAME")]
    repo: RepoName,
    /// Register with this organization instead of the repository
    #[arg(long, value_name = "NAME")]
    org: Option<String>,
    /// Group of the organization's runners
    #[arg(long, value_name = "GROUP", default_value = "Default", requires = "org")]
    runner_group: String,
    /// Name of the runner
    #[arg(long)]
    name: String,
    /// Labels besides self-hosted, Linux and the architecture
    #[arg(long, value_delimiter = ',', default_value = "bench")]
    labels: Vec<String>,
    /// Base URL of the API
    #[arg(long, value_name = "URL", default_value = "https://api.github.com")]
    api_url: String,
    #[command(flatten)]
    credential: CredentialArgs,
}

/// Who may request it: one of a GitHub App, a broker and a token.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Credential")]
struct CredentialArgs {
    /// ID or client ID of a GitHub App
    #[arg(long, value_name = "ID", requires = "app_key")]
    app_id: Option<String>,
    /// Its key, which only its owner may read
    #[arg(long, value_name = "FILE", requires = "app_id", value_hint = ValueHint::FilePath)]
    app_key: Option<PathBuf>,
    /// File with the URL of a broker, which has the credential and answers as GitHub does
    #[arg(long, value_name = "FILE", conflicts_with = "app_id", value_hint = ValueHint::FilePath)]
    jit_url_file: Option<PathBuf>,
    /// File with a token; with a broker, the token that it asks for
    #[arg(long, value_name = "FILE", conflicts_with = "app_id", value_hint = ValueHint::FilePath)]
    token_file: Option<PathBuf>,
}

/// Requests.
///
/// # Errors
/// Those of the forge and of the files.
pub(super) fn run(args: Args) -> Result<Exit> {
    let given = args.credential;
    let credential = match (given.app_id, given.app_key, given.jit_url_file, given.token_file) {
        (Some(id), Some(key), ..) => RunnerCredential::App(id, key),
        (_, _, Some(url), token) => RunnerCredential::Broker(url, token),
        (.., Some(token)) => RunnerCredential::Token(token),
        _ => bail!("name a credential: --app-id and --app-key, --jit-url-file, or --token-file"),
    };
    let owner = match args.org {
        Some(login) => RunnerOwner::Organization { login, group: args.runner_group },
        None => RunnerOwner::Repository,
    };
    let (repo, name, labels, api_url) = (args.repo, args.name, args.labels, args.api_url);
    let asked = ConfigurationRequest { api_url, repo, owner, name, labels, credential };
    print(&format!("{}\n", runner_configuration(asked)?.secret()))?;
    Ok(Exit::Done)
}
