//! From what was asked for to what is set up.

use super::Adoption;
use crate::{
    exit::{CommandError, Exit},
    project::ProjectRoot,
};
use anyhow::{Context, Result};
use shakedown_forge::RepoName;
use std::process::Command;

/// What was asked for.
#[derive(Debug, Clone)]
pub struct AdoptionRequest {
    /// The repository that adopts.
    pub repo: RepoName,
    /// Its stack; the default has the repository's name.
    pub stack: Option<String>,
    /// The repository with the tool.
    pub tool: RepoName,
    /// The commit of the tool; the default is that of this clone.
    pub commit: Option<String>,
    /// Whether the repository has a merge queue.
    pub merge_queue: bool,
}

impl AdoptionRequest {
    /// Fills the defaults in. To look at a repository, its stack need not be known unless it was named.
    ///
    /// # Errors
    /// A stack that is not known, if it is needed; what is not a whole commit.
    pub fn resolve(self, root: &ProjectRoot, stack_needed: bool) -> Result<Adoption> {
        let Self { repo, stack, tool, commit, merge_queue } = self;
        let needed = stack_needed || stack.is_some();
        let stack = stack
            .unwrap_or_else(|| repo.to_string().rsplit('/').next().unwrap_or_default().to_owned());
        let name = stack.split(['+', '@']).next().unwrap_or_default();
        let plain = |c: char| c.is_ascii_alphanumeric() || "+-_.@".contains(c);
        let known = root.catalog().join("stacks").join(format!("{name}.toml"));
        if needed && !(stack.chars().all(plain) && known.is_file()) {
            let reason =
                format!("there is no stack `{}`: name one with --stack", stack.escape_default());
            return Err(CommandError::new(Exit::Input, reason).into());
        }
        let commit = commit.map_or_else(|| head(root), Ok)?;
        if !shakedown_protocol::is_commit(&commit) {
            let reason = format!("`{}` is not a whole commit", commit.escape_default());
            return Err(CommandError::new(Exit::Input, reason).into());
        }
        Ok(Adoption { repo, stack, tool, commit, merge_queue })
    }
}

/// The commit of this clone.
fn head(root: &ProjectRoot) -> Result<String> {
    let git = Command::new("git").arg("-C").arg(root.path()).args(["rev-parse", "HEAD"]).output();
    let output = git.context("can't call git: give --shakedown-ref")?;
    if !output.status.success() {
        let reason = "this is not a clone of shakedown: give --shakedown-ref";
        return Err(CommandError::new(Exit::Input, reason).into());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
