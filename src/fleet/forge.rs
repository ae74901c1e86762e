//! What the forge knows of the hosts' runners.

use crate::github::{
    refused,
    runner_releases::{RUNNER, published},
};
use anyhow::{Context, Result};
use serde::Serialize;
use shakedown_forge::{
    Forge, ForgeOptions, RegisteredRunner, RepoName, RetrySleep, Token, setup::SettingAnswer,
};
use shakedown_host::{KnownRunnerReleases, RunnerAge};
use std::{collections::BTreeMap, env, fs, path::PathBuf};

/// The runner of a host.
#[derive(Debug, Clone, Serialize)]
pub struct FleetRunner {
    /// Its name.
    pub name: String,
    /// `online` or `offline`.
    pub status: String,
    /// Whether it has a job.
    pub busy: bool,
    /// Its group, of an organization's runner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Version of its program.
    pub version: Option<String>,
    /// How old that is, in words.
    pub age: String,
    /// Whether GitHub is about to refuse it.
    pub alarm: bool,
    /// Jobs of the repository that wait for its labels; none where the forge does not say.
    pub waiting: Option<usize>,
}

/// Whom to ask.
#[derive(Debug)]
pub struct FleetSource {
    /// Base URL of the API.
    pub api_url: String,
    /// API that knows the releases of the runner.
    pub releases_api: String,
    /// The repository.
    pub repo: RepoName,
    /// File with the token; the default is the variable `GITHUB_TOKEN`.
    pub token_file: Option<PathBuf>,
}

impl FleetSource {
    /// The runners that the repository can use, by their names in lower case.
    pub(super) fn runners(&self, now_ms: u64) -> Result<BTreeMap<String, FleetRunner>> {
        let token = match &self.token_file {
            Some(path) => Some(
                fs::read_to_string(path)
                    .with_context(|| format!("can't read the token in {}", path.display()))?,
            ),
            None => env::var("GITHUB_TOKEN").ok().filter(|token| !token.trim().is_empty()),
        };
        let forge = Forge::new(options(&self.api_url, &self.repo, token.as_deref()));
        let forge = forge.map_err(refused)?;
        let settings = forge.settings(&[], &[]).map_err(refused)?;
        let waiting = forge.waiting_jobs().map_err(refused)?;
        let runner = RUNNER.parse().map_err(refused)?;
        let releases = Forge::anonymous(options(&self.releases_api, &runner, None));
        let releases = releases.and_then(|forge| forge.releases()).map_err(refused)?;
        let releases = published(&releases).into_iter().map(|(release, _)| release).collect();
        let known = KnownRunnerReleases { checked_ms: now_ms, releases };
        let own = listed(&settings.runners).iter().map(|runner| (runner, None));
        let grouped = listed(&settings.runner_groups).iter().flat_map(|group| {
            group.runners.iter().map(|runner| (runner, Some(group.name.clone())))
        });
        let all = own.chain(grouped).map(|(runner, group)| {
            let found = of(runner, group, &known, now_ms, waiting.as_deref());
            (runner.name.to_lowercase(), found)
        });
        Ok(all.collect())
    }
}

fn options(api_url: &str, repo: &RepoName, token: Option<&str>) -> ForgeOptions {
    ForgeOptions {
        api_url: api_url.to_owned(),
        repo: repo.clone(),
        token: token.map(Token::new),
        tries: 4,
        dry_run: false,
        retry_sleep: RetrySleep::Sleep,
    }
}

fn listed<T>(answer: &SettingAnswer<Vec<T>>) -> &[T] {
    answer.value().map_or(&[], Vec::as_slice)
}

fn of(
    runner: &RegisteredRunner,
    group: Option<String>,
    known: &KnownRunnerReleases,
    now_ms: u64,
    waiting: Option<&[Vec<String>]>,
) -> FleetRunner {
    let version = runner.version.as_deref().and_then(|version| version.parse().ok());
    let age = RunnerAge::new(version, Some(known.clone()), now_ms);
    let has = |label: &String| runner.labels.iter().any(|own| own.name.eq_ignore_ascii_case(label));
    FleetRunner {
        name: runner.name.clone(),
        status: runner.status.clone(),
        busy: runner.busy,
        group,
        version: runner.version.clone(),
        age: age.line(now_ms),
        alarm: age.is_alarm(),
        // Jobs of GitHub's own runners name labels that no host has.
        waiting: waiting.map(|jobs| {
            jobs.iter().filter(|labels| !labels.is_empty() && labels.iter().all(has)).count()
        }),
    }
}
