//! Where the head of a pull request left its base branch.

use crate::{Forge, ForgeError, pull::PullRequest};
use serde::Deserialize;
use shakedown_protocol::is_commit;

/// The newest commit that base branch and head share. A comparison with the tip of the base branch
/// would charge the pull request for what others have merged since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeBase {
    /// The commit.
    pub sha: String,
    /// Commits that the base branch has on top of it; `None` where the forge does not say.
    pub behind_by: Option<u64>,
}

#[derive(Deserialize)]
struct CommitComparison {
    merge_base_commit: CommitReference,
    behind_by: u64,
}

#[derive(Deserialize)]
struct CommitReference {
    sha: String,
}

impl Forge {
    /// Finds the merge base of a pull request's base branch and `head`, a commit of it.
    ///
    /// # Errors
    /// What the forge said; commits that share no history; ids that are no commits.
    pub fn merge_base(&self, pull: &PullRequest, head: &str) -> Result<MergeBase, ForgeError> {
        // Gitea tells it with the pull request, and its comparisons do not.
        if let Some(sha) = &pull.merge_base {
            return checked(sha.clone(), None);
        }
        let base = &pull.base.sha;
        for sha in [base.as_str(), head] {
            checked(sha.to_owned(), None)?;
        }
        // The first page has the changed files, megabytes of them; later ones do not.
        let path = self.path(&format!("compare/{base}...{head}?per_page=1&page=2"));
        let found: Option<CommitComparison> = self.get(&path)?;
        let found = found.ok_or_else(|| {
            ForgeError::NotFound(format!("{base} and {head} have no commit in common"))
        })?;
        checked(found.merge_base_commit.sha, Some(found.behind_by))
    }
}

fn checked(sha: String, behind_by: Option<u64>) -> Result<MergeBase, ForgeError> {
    if is_commit(&sha) {
        return Ok(MergeBase { sha, behind_by });
    }
    Err(ForgeError::NotFound(format!("`{}` is not a commit", sha.escape_default())))
}
