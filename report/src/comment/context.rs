//! Where a comment stands.

/// Where it happened, by the API and the command line; nothing here is from a record.
#[derive(Debug, Clone, Default)]
pub struct CommentContext {
    /// The forge's pages, for example `https://github.com`.
    pub server_url: String,
    /// The repository, `OWNER/NAME`.
    pub repo: String,
    /// Repository of head.
    pub head_repo: Option<String>,
    /// Commit that was measured.
    pub sha: Option<String>,
    /// Commit that it was measured against.
    pub base_sha: Option<String>,
    /// Commits that the base branch has on top of it.
    pub behind_by: Option<u64>,
    /// The base branch.
    pub base_ref: Option<String>,
    /// Where the whole report is.
    pub link: Option<String>,
}
