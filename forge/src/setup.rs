//! How a repository is set up, as far as the token may see it.

use crate::{Forge, ForgeError, RegisteredRunner, UsableRunnerGroup, pull::escape};
use serde::{Deserialize, de::DeserializeOwned};
use std::collections::BTreeMap;

/// What the forge says of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingAnswer<T> {
    /// Its value.
    Value(T),
    /// There is none.
    Missing,
    /// The token may not ask.
    Hidden,
}

impl<T> SettingAnswer<T> {
    /// The value, if there is one.
    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Value(value) => Some(value),
            Self::Missing | Self::Hidden => None,
        }
    }
}

/// A file of the default branch.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RepositoryFile {
    /// Git's id of its content.
    pub sha: String,
}

/// Whether workflows may run, and which actions they may use.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ActionsPermissions {
    /// Whether they may run.
    pub enabled: bool,
    /// `all`, `local_only` or `selected`.
    #[serde(default)]
    pub allowed_actions: String,
}

/// The actions that may be used where they are selected.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct SelectedActions {
    /// Those of GitHub itself.
    #[serde(default)]
    pub github_owned_allowed: bool,
    /// Others, as patterns.
    #[serde(default)]
    pub patterns_allowed: Vec<String>,
}

#[derive(Deserialize)]
struct DefaultPermissions {
    default_workflow_permissions: String,
}

#[derive(Deserialize)]
struct ForkApproval {
    approval_policy: String,
}

#[derive(Deserialize)]
struct PagesSettings {
    #[serde(default)]
    build_type: Option<String>,
}

#[derive(Deserialize)]
struct RepositoryFacts {
    default_branch: String,
    #[serde(default)]
    private: bool,
    #[serde(default)]
    owner: RepositoryOwner,
}

#[derive(Default, Deserialize)]
struct RepositoryOwner {
    #[serde(default, rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct VariableSetting {
    name: String,
    value: String,
}

#[derive(Deserialize)]
struct BranchRule {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    parameters: RuleParameters,
}

#[derive(Default, Deserialize)]
struct RuleParameters {
    #[serde(default)]
    required_status_checks: Vec<RequiredCheck>,
}

#[derive(Deserialize)]
struct RequiredCheck {
    context: String,
}

#[derive(Deserialize)]
struct RequiredContexts {
    #[serde(default)]
    contexts: Vec<String>,
}

/// Anything: what counts is that it is there.
#[derive(Deserialize)]
struct Present {}

/// The settings of a repository that the service rests on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositorySettings {
    /// The default branch.
    pub default_branch: String,
    /// Files of the default branch that were asked for.
    pub files: BTreeMap<String, SettingAnswer<RepositoryFile>>,
    /// Variables of Actions.
    pub variables: SettingAnswer<BTreeMap<String, String>>,
    /// Labels that were asked for.
    pub labels: BTreeMap<String, SettingAnswer<()>>,
    /// Whether workflows may run, and with which actions.
    pub actions: SettingAnswer<ActionsPermissions>,
    /// The actions that may be used where they are selected.
    pub selected: SettingAnswer<SelectedActions>,
    /// What a job may do that declares nothing: `read` or `write`.
    pub default_permissions: SettingAnswer<String>,
    /// Whose workflow runs wait for approval.
    pub fork_approval: SettingAnswer<String>,
    /// Checks that the default branch requires, by its rules and its protection.
    pub required_checks: SettingAnswer<Vec<String>>,
    /// Whether the default branch has a merge queue.
    pub merge_queue: bool,
    /// Whether everybody may read it.
    pub public: bool,
    /// Runners that belong to the repository.
    pub runners: SettingAnswer<Vec<RegisteredRunner>>,
    /// Groups of its organization's runners that it may use; missing if a person owns it.
    pub runner_groups: SettingAnswer<Vec<UsableRunnerGroup>>,
    /// How Pages are built: `workflow` or `legacy`.
    pub pages: SettingAnswer<String>,
}

impl Forge {
    /// Reads the settings, with some files of the default branch and some labels.
    ///
    /// # Errors
    /// Errors of the forge; a repository that is not there, or that the token may not see.
    pub fn settings(
        &self,
        files: &[&str],
        labels: &[&str],
    ) -> Result<RepositorySettings, ForgeError> {
        let found: Option<RepositoryFacts> = self.get(self.path("").trim_end_matches('/'))?;
        let Some(repository) = found else {
            let text =
                format!("there is no repository {}, or the token may not see it", self.repo());
            return Err(ForgeError::NotFound(text));
        };
        let branch = escape(&repository.default_branch);
        let mut found_files = BTreeMap::new();
        for file in files {
            let answer = self.ask(&format!("contents/{file}?ref={branch}"))?;
            found_files.insert((*file).to_owned(), answer);
        }
        let mut found_labels = BTreeMap::new();
        for label in labels {
            let answer = self.ask::<Present>(&format!("labels/{}", escape(label)))?;
            found_labels.insert((*label).to_owned(), map(answer, |_| ()));
        }
        let variables = self.ask_list::<VariableSetting>("actions/variables", "variables")?;
        let rules = self.ask_list::<BranchRule>(&format!("rules/branches/{branch}"), "")?;
        let protected: SettingAnswer<RequiredContexts> =
            self.ask(&format!("branches/{branch}/protection/required_status_checks"))?;
        let default_permissions = self.ask("actions/permissions/workflow")?;
        let fork_approval = self.ask("actions/permissions/fork-pr-contributor-approval")?;
        Ok(RepositorySettings {
            files: found_files,
            labels: found_labels,
            variables: map(variables, |all| {
                all.into_iter().map(|one| (one.name, one.value)).collect()
            }),
            actions: self.ask("actions/permissions")?,
            selected: self.ask("actions/permissions/selected-actions")?,
            default_permissions: map(default_permissions, |found: DefaultPermissions| {
                found.default_workflow_permissions
            }),
            fork_approval: map(fork_approval, |found: ForkApproval| found.approval_policy),
            merge_queue: rules
                .value()
                .is_some_and(|all| all.iter().any(|rule| rule.kind == "merge_queue")),
            required_checks: required(rules, protected),
            public: !repository.private,
            runners: self.ask_list("actions/runners", "runners")?,
            runner_groups: match repository.owner.kind.as_str() {
                "Organization" => self.groups()?,
                _ => SettingAnswer::Missing,
            },
            pages: map(self.ask("pages")?, |found: PagesSettings| {
                found.build_type.unwrap_or_default()
            }),
            default_branch: repository.default_branch,
        })
    }

    /// An organization answers 404 to a token that may not see its groups.
    fn groups(&self) -> Result<SettingAnswer<Vec<UsableRunnerGroup>>, ForgeError> {
        match self.usable_groups() {
            Err(error) if error.status() == Some(404) => Ok(SettingAnswer::Hidden),
            other => answer(other.map(Ok)),
        }
    }

    fn ask<T: DeserializeOwned>(&self, path: &str) -> Result<SettingAnswer<T>, ForgeError> {
        answer(self.get(&self.path(path)).map(|found| found.ok_or(())))
    }

    fn ask_list<T: DeserializeOwned>(
        &self,
        path: &str,
        field: &str,
    ) -> Result<SettingAnswer<Vec<T>>, ForgeError> {
        match self.list(&self.path(path), field) {
            Err(error) if matches!(error.status(), Some(404 | 410)) => Ok(SettingAnswer::Missing),
            other => answer(other.map(Ok)),
        }
    }
}

fn answer<T>(found: Result<Result<T, ()>, ForgeError>) -> Result<SettingAnswer<T>, ForgeError> {
    match found {
        Ok(Ok(value)) => Ok(SettingAnswer::Value(value)),
        Ok(Err(())) => Ok(SettingAnswer::Missing),
        // 409 where actions are not selected.
        Err(error) if matches!(error.status(), Some(401 | 403 | 409)) => Ok(SettingAnswer::Hidden),
        Err(error) => Err(error),
    }
}

fn map<T, U>(answer: SettingAnswer<T>, change: impl FnOnce(T) -> U) -> SettingAnswer<U> {
    match answer {
        SettingAnswer::Value(value) => SettingAnswer::Value(change(value)),
        SettingAnswer::Missing => SettingAnswer::Missing,
        SettingAnswer::Hidden => SettingAnswer::Hidden,
    }
}

/// Rules can be seen by everybody, the protection of a branch by few.
fn required(
    rules: SettingAnswer<Vec<BranchRule>>,
    protected: SettingAnswer<RequiredContexts>,
) -> SettingAnswer<Vec<String>> {
    let hidden = matches!(protected, SettingAnswer::Hidden);
    let by_rules = rules.value().into_iter().flatten();
    let by_rules = by_rules.flat_map(|rule| &rule.parameters.required_status_checks);
    let mut all: Vec<String> = by_rules.map(|check| check.context.clone()).collect();
    all.extend(protected.value().into_iter().flat_map(|found| found.contexts.clone()));
    match (all.is_empty(), hidden) {
        (true, true) => SettingAnswer::Hidden,
        (true, false) => SettingAnswer::Missing,
        (false, _) => SettingAnswer::Value(all),
    }
}
