//! Arguments that the verbs of `shakedown github` share.

use crate::{
    github::{FindingSource, Judge, access::token, finding, refused},
    policies::Policies,
};
use anyhow::{Context, Result, bail};
use clap::ValueHint;
use serde::Serialize;
use shakedown_forge::{ContentKey, ForgeError, ForgeOptions, RepoName, RetrySleep, RunAttempt};
use shakedown_report::{CommentContext, Finding};
use std::{fs, io::Write, path::PathBuf};

/// Which forge, and how to reach it.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Forge")]
pub struct ForgeArgs {
    /// Base URL of the API
    #[arg(
        long,
        value_name = "URL",
        env = "GITHUB_API_URL",
        default_value = "https://api.github.com"
    )]
    pub api_url: String,
    /// Base URL of the pages, for links
    #[arg(
        long,
        value_name = "URL",
        env = "GITHUB_SERVER_URL",
        default_value = "https://github.com"
    )]
    pub server_url: String,
    /// The repository
    #[arg(long, value_name = "OWNER/NAME", env = "GITHUB_REPOSITORY")]
    pub repo: Option<String>,
    /// File with the token [default: the variable GITHUB_TOKEN]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub token_file: Option<PathBuf>,
    /// Maximum number of tries for each request
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub tries: u32,
    /// Print the requests instead of sending them
    #[arg(long)]
    pub dry_run: bool,
}

/// The verdict to report, and which run reports it.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Verdict")]
pub struct FindingArgs {
    /// record.json of a comparison, or its folder, as `intake` writes it. Without --judgement, the
    /// command judges it with the policy given here
    #[arg(value_hint = ValueHint::AnyPath, required_unless_present_any = ["problem", "pending", "not_needed"])]
    pub record: Option<PathBuf>,
    #[command(flatten)]
    pub policies: Policies,
    /// The judgement on the record, as `shakedown gate --out` writes it. Never take it from an
    /// artifact
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "record", conflicts_with = "Policies")]
    pub judgement: Option<PathBuf>,
    /// Report this reason instead of a verdict, because there is no record. Counts as a failure
    #[arg(long, value_name = "TEXT", conflicts_with = "record")]
    pub problem: Option<String>,
    /// Report that the measurement is running
    #[arg(long, conflicts_with_all = ["record", "problem"])]
    pub pending: bool,
    /// Report that no measurement is needed, and why. Counts as a success: the commits of a merge
    /// queue need the check, and their pull requests were measured
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["record", "problem", "pending"])]
    pub not_needed: Option<String>,
    /// Distinguishes several comparisons of one pull request: each key has its own comment, check
    /// run and status
    #[arg(long, value_name = "NAME", default_value = "shakedown")]
    pub key: String,
    /// Id of the workflow run that measured. An older run never replaces what a newer run wrote
    #[arg(long, value_name = "ID", env = "GITHUB_RUN_ID", default_value_t = 0)]
    pub run: u64,
    /// Attempt of that run
    #[arg(long, value_name = "N", env = "GITHUB_RUN_ATTEMPT", default_value_t = 1)]
    pub attempt: u64,
    /// URL of the full report [default: the page of the workflow run]
    #[arg(long, value_name = "URL")]
    pub link: Option<String>,
}

/// What a reader needs to reproduce the comparison.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Reproduction")]
pub struct ReproduceArgs {
    /// Repository of the head commit [default: that of --repo]
    #[arg(long, value_name = "OWNER/NAME")]
    pub head_repo: Option<String>,
    /// Base commit
    #[arg(long, value_name = "SHA")]
    pub base_sha: Option<String>,
    /// Commits that the base branch has on top of it
    #[arg(long, value_name = "N")]
    pub behind_by: Option<u64>,
    /// The base branch
    #[arg(long, value_name = "BRANCH")]
    pub base_ref: Option<String>,
}

/// The event of the workflow, and the step's outputs.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Workflow")]
pub struct WorkflowArgs {
    /// The event that started the workflow, as JSON
    #[arg(long, value_name = "FILE", env = "GITHUB_EVENT_PATH", value_hint = ValueHint::FilePath)]
    pub event: PathBuf,
    /// Name of the event
    #[arg(long, value_name = "NAME", env = "GITHUB_EVENT_NAME")]
    pub event_name: String,
    /// File to append the outputs to
    #[arg(long, value_name = "FILE", env = "GITHUB_OUTPUT", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Print the outputs as JSON
    #[arg(long)]
    pub json: bool,
}

impl ForgeArgs {
    /// Options of the client.
    ///
    /// # Errors
    /// No repository; a token file that can't be read.
    pub fn options(&self) -> Result<ForgeOptions> {
        let repo = self.repo()?;
        Ok(ForgeOptions {
            api_url: self.api_url.clone(),
            repo,
            token: token(self.token_file.as_deref())?,
            tries: self.tries,
            dry_run: self.dry_run,
            retry_sleep: RetrySleep::Sleep,
        })
    }

    /// Runs `work` with a client.
    ///
    /// # Errors
    /// Errors of the forge, with exit code 2.
    pub fn with<T>(
        &self,
        work: impl FnOnce(&shakedown_forge::Forge) -> Result<T, ForgeError>,
    ) -> Result<T> {
        let forge = shakedown_forge::Forge::new(self.options()?).map_err(refused)?;
        work(&forge).map_err(refused)
    }

    /// The repository.
    ///
    /// # Errors
    /// No repository, or a malformed name.
    pub fn repo(&self) -> Result<RepoName> {
        let repo = self.repo.as_ref().context("which repository? Give --repo OWNER/NAME")?;
        repo.parse().map_err(refused)
    }
}

impl FindingArgs {
    /// Reads the record and judges it.
    ///
    /// # Errors
    /// What can't be read; policies that are wrong.
    pub fn load(&self) -> Result<Finding> {
        let source = match (&self.record, &self.problem, &self.not_needed) {
            (Some(record), ..) => FindingSource::Record(record),
            (None, Some(problem), _) => FindingSource::Problem(problem),
            (None, None, Some(reason)) => FindingSource::NotNeeded(reason),
            (None, None, None) if self.pending => FindingSource::Pending,
            (None, None, None) => bail!(
                "nothing to report: give a record, --problem TEXT, --not-needed TEXT or --pending"
            ),
        };
        let judge = match &self.judgement {
            Some(file) => Judge::Judgement(file),
            None => Judge::Policies(&self.policies),
        };
        finding(&source, &judge)
    }

    /// The key, parsed.
    ///
    /// # Errors
    /// A malformed key.
    pub fn key(&self) -> Result<ContentKey> {
        Ok(self.key.parse()?)
    }

    /// The run that reports.
    pub const fn run_attempt(&self) -> RunAttempt {
        RunAttempt { run: self.run, attempt: self.attempt }
    }

    /// Repository, commits and links for the report.
    ///
    /// # Errors
    /// Malformed names, commits or links.
    pub fn place(
        &self,
        repo: Option<String>,
        server_url: &str,
        sha: Option<&str>,
        reproduce: Option<&ReproduceArgs>,
    ) -> Result<CommentContext> {
        let link = match (&self.link, &repo) {
            (Some(link), _) => Some(link.clone()),
            (None, Some(repo)) if self.run > 0 => Some(run_page(server_url, repo, self.run)),
            _ => None,
        };
        if let Some(link) = &link
            && (!link.starts_with("http")
                || link.contains(|c: char| c.is_whitespace() || "()<>".contains(c)))
        {
            bail!("`{}` is not a link", link.escape_default());
        }
        let base_sha = reproduce.and_then(|args| args.base_sha.clone());
        for sha in sha.into_iter().chain(base_sha.as_deref()) {
            commit(sha)?;
        }
        let head_repo = reproduce.and_then(|args| args.head_repo.clone());
        if let Some(repo) = &head_repo {
            let _: RepoName = repo.parse().map_err(refused)?;
        }
        Ok(CommentContext {
            server_url: server_url.to_owned(),
            repo: repo.unwrap_or_default(),
            head_repo,
            sha: sha.map(str::to_owned),
            base_sha,
            behind_by: reproduce.and_then(|args| args.behind_by),
            base_ref: reproduce.and_then(|args| args.base_ref.clone()),
            link,
        })
    }
}

/// The page of a workflow run.
pub fn run_page(server_url: &str, repo: &str, run: u64) -> String {
    format!("{}/{repo}/actions/runs/{run}", server_url.trim_end_matches('/'))
}

/// Checks that `sha` is a full commit id.
///
/// # Errors
/// If it is not.
pub fn commit(sha: &str) -> Result<()> {
    if shakedown_protocol::is_commit(sha) {
        return Ok(());
    }
    bail!("`{}` is not a commit: give the full id, as the API does", sha.escape_default());
}

impl WorkflowArgs {
    /// Writes the outputs, one per line, and prints them.
    ///
    /// # Errors
    /// A value with a line break, which could forge another output; a file that can't be written.
    pub fn put(&self, values: &impl Serialize) -> Result<()> {
        let value = serde_json::to_value(values)?;
        let mut lines = String::new();
        for (name, value) in value.as_object().context("outputs have names")? {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            if text.contains(['\n', '\r']) {
                bail!("the output `{name}` has more than one line");
            }
            lines.push_str(&format!("{name}={text}\n"));
        }
        if let Some(path) = &self.output {
            let file = fs::OpenOptions::new().append(true).create(true).open(path);
            file.and_then(|mut file| file.write_all(lines.as_bytes()))
                .with_context(|| format!("can't write {}", path.display()))?;
        }
        if self.json { crate::output::print_json(&value) } else { crate::output::print(&lines) }
    }
}
