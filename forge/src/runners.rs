//! Runners, and the groups of an organization's runners, as far as a repository may use them.

use crate::{Forge, ForgeError, pull::escape};
use serde::Deserialize;

/// A self-hosted runner.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RegisteredRunner {
    /// Its name.
    pub name: String,
    /// `online` or `offline`.
    pub status: String,
    /// Whether it has a job.
    #[serde(default)]
    pub busy: bool,
    /// Its labels.
    #[serde(default)]
    pub labels: Vec<RunnerLabel>,
    /// Version of its program.
    #[serde(default)]
    pub version: Option<String>,
}

/// A label of a runner.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RunnerLabel {
    /// Its name.
    pub name: String,
}

/// A group of an organization's runners that the repository may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsableRunnerGroup {
    /// Its name.
    pub name: String,
    /// Whether public repositories may use it.
    pub public: bool,
    /// Its runners.
    pub runners: Vec<RegisteredRunner>,
}

#[derive(Deserialize)]
struct ListedGroup {
    id: u64,
    name: String,
    #[serde(default)]
    allows_public_repositories: bool,
}

impl Forge {
    /// The groups of the organization that owns the repository.
    ///
    /// # Errors
    /// Errors of the forge.
    pub(crate) fn usable_groups(&self) -> Result<Vec<UsableRunnerGroup>, ForgeError> {
        let repo = self.repo().to_string();
        let (owner, name) = repo.split_once('/').unwrap_or((&repo, ""));
        let place = format!("/orgs/{}/actions/runner-groups", escape(owner));
        let visible = format!("{place}?visible_to_repository={}", escape(name));
        let listed: Vec<ListedGroup> = self.list(&visible, "runner_groups")?;
        let group = |group: ListedGroup| {
            let runners = self.list(&format!("{place}/{}/runners", group.id), "runners")?;
            let public = group.allows_public_repositories;
            Ok(UsableRunnerGroup { name: group.name, public, runners })
        };
        listed.into_iter().map(group).collect()
    }
}
