//! The configuration with which a runner takes one job, just in time: from the forge, or from a broker
//! that asks the forge and keeps the credential elsewhere.

mod app;
mod broker;

pub use app::AppKey;
pub use broker::from_broker;

use crate::{Forge, ForgeError, pull::escape};
use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt;

/// A configuration is at most so long: it is handed on as a variable of the environment.
const LONGEST: usize = 96 << 10;

/// Whose jobs a runner takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunnerOwner {
    /// Those of the forge's repository.
    Repository,
    /// Those of the repositories that may use a group of an organization's runners.
    Organization {
        /// The organization.
        login: String,
        /// The group.
        group: String,
    },
}

impl RunnerOwner {
    /// Where its API begins.
    fn path(&self, forge: &Forge) -> String {
        match self {
            Self::Repository => format!("/repos/{}", forge.repo()),
            Self::Organization { login, .. } => format!("/orgs/{}", escape(login)),
        }
    }
}

/// The runner that is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnerRequest {
    /// Whose jobs it takes.
    pub owner: RunnerOwner,
    /// Its name.
    pub name: String,
    /// All its labels, with those that GitHub's own set-up adds.
    pub labels: Vec<String>,
}

/// The configuration of one runner for one job. It is a secret until it was used.
#[derive(Clone, PartialEq, Eq)]
pub struct RunnerConfiguration(String);

impl RunnerConfiguration {
    /// Checks that it is one line of base64.
    fn new(text: String) -> Result<Self, ForgeError> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"+/=-_".contains(&b);
        if text.is_empty() || text.len() > LONGEST || !text.bytes().all(plain) {
            let reason = "encoded_jit_config is empty, too long, or not base64".to_owned();
            return Err(ForgeError::Shape { path: "generate-jitconfig".to_owned(), reason });
        }
        Ok(Self(text))
    }

    /// The text that the runner takes.
    pub fn secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for RunnerConfiguration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunnerConfiguration(..)")
    }
}

#[derive(Deserialize)]
struct JitAnswer {
    encoded_jit_config: String,
}

#[derive(Deserialize)]
struct RunnerGroup {
    id: u64,
    name: String,
}

#[derive(Deserialize)]
struct NamedRunner {
    id: u64,
    name: String,
    status: String,
}

/// The group of a repository's own runners.
const DEFAULT_GROUP: u64 = 1;

/// Requests the configuration. A runner of the same name that is offline makes room: it is what is left
/// of a job that did not end well.
///
/// # Errors
/// A group that does not exist; a runner of the same name that is online; errors of the forge.
pub fn request(forge: &Forge, wanted: &RunnerRequest) -> Result<RunnerConfiguration, ForgeError> {
    let place = format!("{}/actions", wanted.owner.path(forge));
    let group = match &wanted.owner {
        RunnerOwner::Repository => DEFAULT_GROUP,
        RunnerOwner::Organization { login, group } => group_id(forge, &place, login, group)?,
    };
    let body = json!({
        "name": wanted.name, "runner_group_id": group, "labels": wanted.labels,
        "work_folder": "_work",
    });
    let path = format!("{place}/runners/generate-jitconfig");
    let ask = |body: &Value| forge.change::<JitAnswer>(Method::POST, &path, body);
    let answer = match ask(&body) {
        Err(error) if error.status() == Some(409) => {
            make_room(forge, &place, &wanted.name)?;
            ask(&body)?
        }
        other => other?,
    };
    let answer = answer.ok_or(ForgeError::DryRun("configuration"))?;
    RunnerConfiguration::new(answer.encoded_jit_config)
}

fn group_id(forge: &Forge, place: &str, login: &str, name: &str) -> Result<u64, ForgeError> {
    let all: Vec<RunnerGroup> = forge.list(&format!("{place}/runner-groups"), "runner_groups")?;
    let found = all.iter().find(|group| group.name == name).map(|group| group.id);
    found.ok_or_else(|| {
        let names: Vec<String> =
            all.iter().map(|group| group.name.escape_default().to_string()).collect();
        ForgeError::NotFound(format!(
            "{login} has no runner group `{name}` that this credential sees; it sees: {}",
            names.join(", ")
        ))
    })
}

fn make_room(forge: &Forge, place: &str, name: &str) -> Result<(), ForgeError> {
    let all: Vec<NamedRunner> =
        forge.list(&format!("{place}/runners?name={}", escape(name)), "runners")?;
    for runner in all.iter().filter(|runner| runner.name.eq_ignore_ascii_case(name)) {
        if runner.status != "offline" {
            let status = runner.status.escape_default().to_string();
            return Err(ForgeError::NameTaken { name: name.to_owned(), status });
        }
        forge.delete(&format!("{place}/runners/{}", runner.id))?;
    }
    Ok(())
}
