//! What the forge knows of the hosts' runners.

use crate::github::{access::ForgeAccess, refused};
use anyhow::Result;
use serde::Serialize;
use shakedown_forge::{RegisteredRunner, RepoName, setup::SettingAnswer};
use shakedown_host::{KnownRunnerReleases, RunnerAge};
use std::collections::BTreeMap;

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

/// Whom to ask, and about what.
#[derive(Debug)]
pub struct FleetSource {
    /// The repository.
    pub repo: RepoName,
    /// How to reach the forge.
    pub access: ForgeAccess,
}

impl FleetSource {
    /// The runners that the repository can use, by their names in lower case.
    pub(super) fn runners(&self, now_ms: u64) -> Result<BTreeMap<String, FleetRunner>> {
        let forge = self.access.forge(&self.repo)?;
        let settings = forge.settings(&[], &[]).map_err(refused)?;
        let waiting = forge.waiting_jobs().map_err(refused)?;
        let known = self.access.runner_releases(now_ms)?;
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
