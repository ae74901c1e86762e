//! Arguments that the verbs of `shakedown github` share.

use crate::{
    github::{finding, refused},
    policies::Policies,
};
use anyhow::{Context, Result, bail};
use clap::ValueHint;
use serde::Serialize;
use shakedown_forge::{ForgeError, Key, Options, Pause, Repo, Stamp, Token};
use shakedown_report::{Finding as Found, Place};
use std::{env, fs, io::Write, path::PathBuf};

/// The forge.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "The forge")]
pub struct Forge {
    /// Where its API is
    #[arg(
        long,
        value_name = "URL",
        env = "GITHUB_API_URL",
        default_value = "https://api.github.com"
    )]
    pub api_url: String,
    /// Where its pages are, for links
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
    /// Give up on a request after so many tries
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub tries: u32,
    /// Print the requests that would change something, and send none of them
    #[arg(long)]
    pub dry_run: bool,
}

/// What is told.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "What is told")]
pub struct Finding {
    /// A record.json of a comparison, or the folder that it is in (that of `intake`); it is
    /// judged here and now, with the policy given here
    #[arg(value_hint = ValueHint::AnyPath, required_unless_present_any = ["problem", "pending"])]
    pub record: Option<PathBuf>,
    #[command(flatten)]
    pub policies: Policies,
    /// Why there is no record: told instead of a verdict, and no success
    #[arg(long, value_name = "TEXT", conflicts_with = "record")]
    pub problem: Option<String>,
    /// Say that it is being measured
    #[arg(long, conflicts_with_all = ["record", "problem"])]
    pub pending: bool,
    /// Names one of several comparisons of the same pull request: each key has its own comment,
    /// check and status
    #[arg(long, value_name = "NAME", default_value = "shakedown")]
    pub key: String,
    /// Id of the workflow run that measured. What an older run says never replaces what a newer
    /// one said
    #[arg(long, value_name = "ID", env = "GITHUB_RUN_ID", default_value_t = 0)]
    pub run: u64,
    /// Which attempt of that run
    #[arg(long, value_name = "N", env = "GITHUB_RUN_ATTEMPT", default_value_t = 1)]
    pub attempt: u64,
    /// Where the whole report is [default: the page of the workflow run]
    #[arg(long, value_name = "URL")]
    pub link: Option<String>,
}

/// How a reader measures the same on another machine.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "How to measure it again")]
pub struct Again {
    /// Repository that head is in [default: that of --repo]
    #[arg(long, value_name = "OWNER/NAME")]
    pub head_repo: Option<String>,
    /// Commit that was the base
    #[arg(long, value_name = "SHA")]
    pub base_sha: Option<String>,
}

/// Where a step hands values to the next ones.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "The workflow")]
pub struct Workflow {
    /// The event that started the workflow, as JSON
    #[arg(long, value_name = "FILE", env = "GITHUB_EVENT_PATH", value_hint = ValueHint::FilePath)]
    pub event: PathBuf,
    /// Its name
    #[arg(long, value_name = "NAME", env = "GITHUB_EVENT_NAME")]
    pub event_name: String,
    /// File that outputs are added to
    #[arg(long, value_name = "FILE", env = "GITHUB_OUTPUT", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Print the outputs as JSON
    #[arg(long)]
    pub json: bool,
}

impl Forge {
    /// How the forge is talked to.
    ///
    /// # Errors
    /// A repository that is not named; a file without a token.
    pub fn options(&self) -> Result<Options> {
        let repo = self.repo()?;
        let token = match &self.token_file {
            Some(path) => Some(
                fs::read_to_string(path)
                    .with_context(|| format!("can't read the token in {}", path.display()))?,
            ),
            None => env::var("GITHUB_TOKEN").ok().filter(|token| !token.trim().is_empty()),
        };
        Ok(Options {
            api_url: self.api_url.clone(),
            repo,
            token: token.map(|token| Token::new(&token)),
            tries: self.tries,
            dry_run: self.dry_run,
            pause: Pause::Wait,
        })
    }

    /// Talks to it.
    ///
    /// # Errors
    /// What it said.
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
    /// If none is named.
    pub fn repo(&self) -> Result<Repo> {
        let repo = self.repo.as_ref().context("which repository? Give --repo OWNER/NAME")?;
        repo.parse().map_err(refused)
    }
}

impl Finding {
    /// Reads and judges it.
    ///
    /// # Errors
    /// What can't be read; policies that are wrong.
    pub fn load(&self) -> Result<Found> {
        if self.record.is_none() && self.problem.is_none() && !self.pending {
            bail!("what shall be told? Give a record, --problem TEXT or --pending");
        }
        finding(self.record.as_ref(), self.problem.as_ref(), |root| self.policies.load(root))
    }

    /// Which of ours it is.
    ///
    /// # Errors
    /// A key that can't stand in a comment.
    pub fn key(&self) -> Result<Key> {
        Ok(self.key.parse()?)
    }

    /// Which run speaks.
    pub const fn stamp(&self) -> Stamp {
        Stamp { run: self.run, attempt: self.attempt }
    }

    /// Where it happened.
    ///
    /// # Errors
    /// Names and commits that are none.
    pub fn place(
        &self,
        repo: Option<String>,
        server_url: &str,
        sha: Option<&str>,
        again: Option<&Again>,
    ) -> Result<Place> {
        let link = match (&self.link, &repo) {
            (Some(link), _) => Some(link.clone()),
            (None, Some(repo)) if self.run > 0 => {
                let server = server_url.trim_end_matches('/');
                Some(format!("{server}/{repo}/actions/runs/{}", self.run))
            }
            _ => None,
        };
        if let Some(link) = &link
            && (!link.starts_with("http")
                || link.contains(|c: char| c.is_whitespace() || "()<>".contains(c)))
        {
            bail!("`{}` can't stand as a link", link.escape_default());
        }
        let base_sha = again.and_then(|again| again.base_sha.clone());
        for sha in sha.into_iter().chain(base_sha.as_deref()) {
            commit(sha)?;
        }
        let head_repo = again.and_then(|again| again.head_repo.clone());
        if let Some(repo) = &head_repo {
            let _: Repo = repo.parse().map_err(refused)?;
        }
        Ok(Place {
            server_url: server_url.to_owned(),
            repo: repo.unwrap_or_default(),
            head_repo,
            sha: sha.map(str::to_owned),
            base_sha,
            link,
            key: self.key.clone(),
        })
    }
}

/// Refuses what is no full commit id.
///
/// # Errors
/// If it is none.
pub fn commit(sha: &str) -> Result<()> {
    if shakedown_protocol::is_commit(sha) {
        return Ok(());
    }
    bail!("`{}` is no commit: give the whole id, as the API does", sha.escape_default());
}

impl Workflow {
    /// Hands values on, each in one line, and prints them.
    ///
    /// # Errors
    /// A value with a line break, which would be another output; a file that can't be written.
    pub fn put(&self, values: &impl Serialize) -> Result<()> {
        let value = serde_json::to_value(values)?;
        let mut lines = String::new();
        for (name, value) in value.as_object().context("outputs are named")? {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            if text.contains(['\n', '\r']) {
                bail!("the output `{name}` would be more than one line");
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
