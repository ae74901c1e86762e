//! Pull requests, workflow runs and people, as the API tells them.

use crate::{Forge, ForgeError, RunAttempt};
use serde::{Deserialize, Serialize};

/// A user.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct User {
    /// Name on the forge.
    pub login: String,
}

/// A repository, as far as it matters.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Repository {
    /// `OWNER/NAME`.
    pub full_name: String,
    /// Last push to any of its branches, by the forge's clock, in RFC 3339.
    #[serde(default)]
    pub pushed_at: Option<String>,
}

/// One end of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PullRequestBranch {
    /// Commit.
    pub sha: String,
    /// Branch.
    #[serde(rename = "ref")]
    pub branch: String,
    /// Repository; `None` where a fork was deleted.
    #[serde(default)]
    pub repo: Option<Repository>,
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct PullRequest {
    /// Its number.
    pub number: u64,
    /// `open` or `closed`.
    pub state: String,
    /// What it wants to change.
    pub base: PullRequestBranch,
    /// With what.
    pub head: PullRequestBranch,
    /// Where the two part, if the forge says so here, as Gitea does.
    #[serde(default)]
    pub merge_base: Option<String>,
}

/// A workflow run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct WorkflowRun {
    /// Its id.
    pub id: u64,
    /// Which attempt of it.
    #[serde(default = "first")]
    pub run_attempt: u64,
    /// What started it, for example `pull_request`.
    pub event: String,
    /// Commit that it ran on.
    pub head_sha: String,
    /// Branch that it ran on.
    #[serde(default)]
    pub head_branch: Option<String>,
    /// Repository that the branch is in.
    #[serde(default)]
    pub head_repository: Option<Repository>,
    /// File of the workflow; some forges append `@refs/...`.
    #[serde(default)]
    pub path: String,
    /// How it ended.
    #[serde(default)]
    pub conclusion: Option<String>,
    /// Its page.
    #[serde(default)]
    pub html_url: String,
}

/// A job of a workflow run.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct WorkflowJob {
    /// Its name, as it is shown.
    pub name: String,
    /// `queued`, `in_progress` or `completed`, among others.
    #[serde(default)]
    pub status: Option<String>,
    /// How it ended.
    #[serde(default)]
    pub conclusion: Option<String>,
    /// Attempt that it is of, counted from 1; 0 where the forge does not say.
    #[serde(default)]
    pub run_attempt: u64,
    /// Labels of the runner that it asked for; `None` where the forge does not say.
    #[serde(default)]
    pub labels: Option<Vec<String>>,
}

impl WorkflowJob {
    /// Whether it never ran, because its condition was not met.
    pub fn is_skipped(&self) -> bool {
        self.conclusion.as_deref() == Some("skipped")
    }

    /// Whether it may have run on a machine that belongs to somebody else than this repository's
    /// owner: GitHub's own runners do not have the label `self-hosted`.
    pub fn is_hosted(&self) -> bool {
        let labels = self.labels.as_ref();
        labels.is_some_and(|labels| !labels.iter().any(|label| label == "self-hosted"))
    }
}

const fn first() -> u64 {
    1
}

/// What later steps need to know of a pull request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct PullRequestFacts {
    /// Number.
    pub number: u64,
    /// Commit that was or shall be measured.
    pub head_sha: String,
    /// Repository that it is in.
    pub head_repo: String,
    /// Branch.
    pub head_ref: String,
    /// Whether that is another repository than the base.
    pub fork: bool,
    /// The merge base: what head is compared with.
    pub base_sha: String,
    /// Commits that the base branch has on top of the merge base, if that is known.
    pub behind_by: Option<u64>,
    /// The base branch.
    pub base_ref: String,
}

impl PullRequest {
    fn head_repo(&self) -> &str {
        self.head.repo.as_ref().map_or("", |repo| repo.full_name.as_str())
    }

    /// Whether its head is in another repository than the forge's.
    pub fn is_of_fork(&self, forge: &Forge) -> bool {
        !self.head_repo().eq_ignore_ascii_case(&forge.repo().to_string())
    }
}

impl PullRequestFacts {
    /// A pull request at one of its commits, which need not be the newest.
    ///
    /// # Errors
    /// The forge's answer about the merge base.
    pub(crate) fn at(forge: &Forge, pull: &PullRequest, head: &str) -> Result<Self, ForgeError> {
        let base = forge.merge_base(pull, head)?;
        Ok(Self {
            number: pull.number,
            head_sha: head.to_owned(),
            fork: pull.is_of_fork(forge),
            head_repo: pull.head_repo().to_owned(),
            head_ref: pull.head.branch.clone(),
            base_sha: base.sha,
            behind_by: base.behind_by,
            base_ref: pull.base.branch.clone(),
        })
    }
}

impl Forge {
    /// Who writes: whose the token is, or GitHub's own bot, as the tokens of workflows belong to
    /// nobody who could be asked for.
    ///
    /// # Errors
    /// Errors of the forge.
    pub fn author(&self) -> Result<String, ForgeError> {
        match self.get::<User>("/user") {
            Ok(user) => Ok(user.map_or_else(|| BOT.to_owned(), |user| user.login)),
            Err(error) if matches!(error.status(), Some(403)) => Ok(BOT.to_owned()),
            Err(error) => Err(error),
        }
    }

    /// A pull request by its number.
    ///
    /// # Errors
    /// Errors of the forge; a number that does not exist.
    pub fn pull(&self, number: u64) -> Result<PullRequest, ForgeError> {
        let found = self.get(&self.path(&format!("pulls/{number}")))?;
        found.ok_or_else(|| ForgeError::NotFound(format!("there is no pull request #{number}")))
    }

    /// A workflow run by its id.
    ///
    /// # Errors
    /// Errors of the forge; a number that does not exist.
    pub fn run(&self, id: u64) -> Result<WorkflowRun, ForgeError> {
        let found = self.get(&self.path(&format!("actions/runs/{id}")))?;
        found.ok_or_else(|| ForgeError::NotFound(format!("there is no workflow run {id}")))
    }

    /// Whether a run has had this attempt, as far as the forge lets us know.
    ///
    /// # Errors
    /// Errors of the forge.
    pub(crate) fn has_run(&self, stamp: RunAttempt) -> Result<bool, ForgeError> {
        match self.run(stamp.run) {
            // Gitea says 0 of every run.
            Ok(run) => Ok(stamp.attempt <= run.run_attempt.max(1)),
            Err(ForgeError::NotFound(_)) => Ok(false),
            Err(error) if matches!(error.status(), Some(403)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Open pull requests of a branch. The repository that the branch is in is compared as
    /// well: the API filters by owner and branch only, and some forges don't filter at all.
    ///
    /// # Errors
    /// Errors of the forge.
    pub fn pulls_of(&self, head_repo: &str, branch: &str) -> Result<Vec<PullRequest>, ForgeError> {
        let owner = head_repo.split('/').next().unwrap_or_default();
        let filter = format!("pulls?state=open&head={}:{}", escape(owner), escape(branch));
        let mut found: Vec<PullRequest> = self.list(&self.path(&filter), "")?;
        found.retain(|pull| {
            let repo = pull.head.repo.as_ref().map(|repo| repo.full_name.as_str());
            pull.state == "open"
                && pull.head.branch == branch
                && repo.is_some_and(|repo| repo.eq_ignore_ascii_case(head_repo))
        });
        Ok(found)
    }

    /// A run's jobs; none where the forge does not know them.
    ///
    /// # Errors
    /// Errors of the forge.
    pub fn jobs(&self, run: u64) -> Result<Vec<WorkflowJob>, ForgeError> {
        let path = self.path(&format!("actions/runs/{run}/jobs"));
        match self.list(&path, "jobs") {
            Err(error) if matches!(error.status(), Some(404 | 410)) => Ok(Vec::new()),
            jobs => jobs,
        }
    }

    /// What somebody may do in the repository: `admin`, `write`, `read` or `none`; Gitea also
    /// says `owner`.
    ///
    /// # Errors
    /// Errors of the forge.
    pub fn permission(&self, login: &str) -> Result<String, ForgeError> {
        #[derive(Deserialize)]
        struct PermissionResponse {
            permission: String,
        }
        let path = self.path(&format!("collaborators/{}/permission", escape(login)));
        let answer: Option<PermissionResponse> = self.get(&path)?;
        Ok(answer.map_or_else(|| "none".to_owned(), |answer| answer.permission))
    }
}

/// Who comments with the token of a workflow on GitHub.
pub const BOT: &str = "github-actions[bot]";

/// Escapes what has a meaning in a URL.
pub(crate) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(byte as char);
            }
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_can_not_leave_their_place_in_a_url() {
        assert_eq!(escape("a/b?c=d&e#f"), "a%2Fb%3Fc%3Dd%26e%23f");
        assert_eq!(escape("../ü"), "..%2F%C3%BC");
    }
}
