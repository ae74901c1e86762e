//! Arguments that the verbs of `shakedown github` share.

use crate::command::gate::Policies;
use clap::ValueHint;
use std::path::PathBuf;

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
