//! The operator's policy: `/etc/shakedown/runner.toml`.

use serde::Deserialize;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Which jobs a host admits, and the host's paths.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AdmissionPolicy {
    /// `OWNER/NAME` of each repository whose jobs may run.
    pub repositories: Vec<String>,
    /// Names of the events that may start a job: `push`, `schedule`, `pull_request`...
    pub events: Vec<String>,
    /// Whether jobs of pull requests from forks may run, and jobs of unknown origin.
    #[serde(default)]
    pub fork_pull_requests: bool,
    /// Whether a host that is not fit refuses.
    #[serde(default = "yes")]
    pub require_fit: bool,
    /// In which state the host waits for the next job.
    #[serde(default)]
    pub between_jobs: BetweenJobs,
    /// The systemd unit that the runner and its jobs live in.
    #[serde(default = "unit")]
    pub unit: String,
    /// The folder that jobs work in; emptied after each.
    #[serde(default = "work")]
    pub work: PathBuf,
    /// The lock of the host, which runs by hand take as well.
    #[serde(default = "lock")]
    pub lock: PathBuf,
    /// The socket of the helper that tunes, restores and checks as root.
    #[serde(default = "helper")]
    pub helper: PathBuf,
    /// Folder for the noise of the jobs' runs, if it exists.
    #[serde(default = "health")]
    pub health: PathBuf,
}

/// In which state the host waits for the next job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BetweenJobs {
    /// Tuned, so that the state that a job finds does not depend on the time since the last job.
    #[default]
    Tuned,
    /// Restored, for a host that does other work too.
    Restored,
}

fn yes() -> bool {
    true
}

fn unit() -> String {
    "shakedown-runner.service".to_owned()
}

fn work() -> PathBuf {
    PathBuf::from("/var/lib/shakedown/runner/_work")
}

fn lock() -> PathBuf {
    PathBuf::from("/run/lock/shakedown.lock")
}

fn helper() -> PathBuf {
    PathBuf::from("/run/shakedown/helper.sock")
}

fn health() -> PathBuf {
    PathBuf::from("/var/lib/shakedown/health")
}

/// Why there is no policy. Without one, no job is admitted.
#[derive(Debug, thiserror::Error)]
pub enum AdmissionPolicyError {
    /// The file can't be read.
    #[error("can't read {}: {source}. `install.sh` writes it; no job is admitted without it", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file is malformed.
    #[error("{}: {source}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line, column and what is wrong there.
        source: Box<toml::de::Error>,
    },
    /// An invalid value.
    #[error("{}: {what}", path.display())]
    Value {
        /// The file.
        path: PathBuf,
        /// Which, and what to write instead.
        what: String,
    },
}

impl AdmissionPolicy {
    /// Reads the file.
    ///
    /// # Errors
    /// If it is missing, or has an unknown key or an invalid value.
    pub fn load(path: &Path) -> Result<Self, AdmissionPolicyError> {
        let read = |source| AdmissionPolicyError::Read { path: path.to_owned(), source };
        Self::parse(&fs::read_to_string(path).map_err(read)?, path)
    }

    /// Reads the text of the file `path`.
    ///
    /// # Errors
    /// Those of [`AdmissionPolicy::load`].
    pub fn parse(text: &str, path: &Path) -> Result<Self, AdmissionPolicyError> {
        let policy: Self = toml::from_str(text).map_err(|source| AdmissionPolicyError::Syntax {
            path: path.to_owned(),
            source: Box::new(source),
        })?;
        match policy.mistake() {
            Some(what) => Err(AdmissionPolicyError::Value { path: path.to_owned(), what }),
            None => Ok(policy),
        }
    }

    fn mistake(&self) -> Option<String> {
        if self.repositories.is_empty() {
            return Some("`repositories` is empty: no job could ever run".to_owned());
        }
        if let Some(name) = self.repositories.iter().find(|name| !is_repository(name)) {
            return Some(format!(
                "repository {name:?} is not OWNER/NAME; patterns are not allowed"
            ));
        }
        if let Some(name) = self.events.iter().find(|name| !is_event(name)) {
            return Some(format!(
                "event {name:?} is none: the names are those of GitHub, such as \"pull_request\""
            ));
        }
        if self.events.is_empty() {
            return Some("`events` is empty: no job could ever run".to_owned());
        }
        if !self.unit.ends_with(".service") || self.unit.contains('/') {
            return Some(format!("unit {:?} is not the name of a service", self.unit));
        }
        // The folder is emptied after each job: a typo must not empty `/` or `/home`.
        if !self.work.is_absolute() || self.work.components().count() < 4 {
            return Some(format!(
                "`work` is {:?}, and is emptied after each job: name a folder at least three deep",
                self.work.display()
            ));
        }
        [("lock", &self.lock), ("helper", &self.helper), ("health", &self.health)]
            .into_iter()
            .find(|(_, path)| !path.is_absolute())
            .map(|(key, path)| {
                format!("`{key}` is {:?}: write it from the root on", path.display())
            })
    }

    /// Whether jobs of a repository may run. GitHub's names are case-insensitive.
    pub fn allows_repository(&self, name: &str) -> bool {
        self.repositories.iter().any(|allowed| allowed.eq_ignore_ascii_case(name))
    }

    /// Whether an event may start a job.
    pub fn allows_event(&self, name: &str) -> bool {
        self.events.iter().any(|allowed| allowed == name)
    }
}

fn is_repository(name: &str) -> bool {
    let word = |text: &str| {
        !text.is_empty()
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
            && text.bytes().any(|b| b != b'.')
    };
    name.split_once('/').is_some_and(|(owner, name)| word(owner) && word(name))
}

fn is_event(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEAST: &str = "repositories = [\"o/n\"]\nevents = [\"push\"]\n";

    fn parse(text: &str) -> Result<AdmissionPolicy, AdmissionPolicyError> {
        AdmissionPolicy::parse(text, Path::new("runner.toml"))
    }

    #[test]
    fn the_least_policy_is_a_strict_one() {
        let policy = parse(LEAST).unwrap();
        assert!(policy.require_fit && !policy.fork_pull_requests);
        assert_eq!(policy.between_jobs, BetweenJobs::Tuned);
        assert!(policy.allows_repository("O/N") && !policy.allows_repository("o/n2"));
        assert!(policy.allows_event("push") && !policy.allows_event("PUSH"));
    }

    #[test]
    fn mistakes_are_told() {
        let wrong = [
            "fork-pull-request = true".to_owned() + "\n" + LEAST,
            "repositories = []\nevents = [\"push\"]".to_owned(),
            "repositories = [\"o/*\"]\nevents = [\"push\"]".to_owned(),
            "repositories = [\"https://github.com/o/n\"]\nevents = [\"push\"]".to_owned(),
            "repositories = [\"o/n\"]\nevents = [\"pull-request\"]".to_owned(),
            "repositories = [\"o/n\"]\nevents = []".to_owned(),
            LEAST.to_owned() + "work = \"/home\"",
            LEAST.to_owned() + "work = \"relative/a/b/c\"",
            LEAST.to_owned() + "unit = \"user.slice\"",
            LEAST.to_owned() + "helper = \"helper.sock\"",
            LEAST.to_owned() + "between-jobs = \"whatever\"",
            "events = [\"push\"]".to_owned(),
        ];
        let told: Vec<String> =
            wrong.iter().map(|text| parse(text).unwrap_err().to_string()).collect();
        insta::assert_snapshot!(told.join("\n---\n"));
    }

    #[test]
    fn a_missing_file_admits_nothing_and_says_where_it_comes_from() {
        let error =
            AdmissionPolicy::load(Path::new("/nowhere/runner.toml")).unwrap_err().to_string();
        assert!(error.contains("install.sh") && error.contains("no job"), "{error}");
    }
}
