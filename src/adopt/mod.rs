//! Bringing the service to a repository, and looking whether it is there.

mod actions;
pub mod check;
pub mod files;
mod hosts;
pub mod inspect;
mod request;

pub use request::AdoptionRequest;

use shakedown_forge::RepoName;

/// The workflows that every repository needs.
pub const WORKFLOWS: [&str; 4] = ["pr-measure.yml", "pr-report.yml", "nightly.yml", "signoff.yml"];
/// The one for a repository with a merge queue.
pub const QUEUE: &str = "merge-queue.yml";
/// The policy, in the repository that adopts.
pub const POLICY: &str = ".github/bench.toml";
/// The label that asks for a measurement, and that the hosts have.
pub const LABEL: &str = "bench";
/// The check that pull requests get.
pub const CHECK: &str = "shakedown";

/// What is set up where.
#[derive(Debug, Clone)]
pub struct Adoption {
    /// The repository that adopts.
    pub repo: RepoName,
    /// The stack that it is.
    pub stack: String,
    /// The repository with the tool.
    pub tool: RepoName,
    /// The commit of the tool.
    pub commit: String,
    /// Whether it has a merge queue.
    pub merge_queue: bool,
}

impl Adoption {
    /// The workflows, by their names.
    pub fn workflows(&self) -> impl Iterator<Item = &'static str> {
        WORKFLOWS.into_iter().chain(self.merge_queue.then_some(QUEUE))
    }
}

/// A workflow's place in a repository.
pub fn workflow_path(name: &str) -> String {
    format!(".github/workflows/{name}")
}
