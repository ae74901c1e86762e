//! `shakedown github check`.

use super::args::{FindingArgs, ForgeArgs, ReproduceArgs};
use crate::{
    exit::Exit,
    github::{conclusion, queue},
    output::print,
};
use anyhow::Result;
use shakedown_forge::{
    WriteOutcome,
    check::{self, CheckOutcome, CheckRunContent, CheckedPullRequest},
};
use shakedown_report::Comment;

/// Sets the check run of a commit: success, neutral (inconclusive) or failure. Where the forge
/// has no check runs, or the token may not write them, sets the commit status instead. Exits with
/// 0 whatever the verdict.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    finding: FindingArgs,
    /// Commit that was measured: from `shakedown github pull-request`, never from an artifact
    #[arg(long, value_name = "SHA")]
    sha: String,
    /// Number of the pull request that was measured. One commit may be the head of several: the newest run
    /// sets the check, and its external id says for which one, against which base
    #[arg(long, value_name = "NUMBER", requires = "base_sha")]
    pr: Option<u64>,
    /// Say how many jobs of older runs use the repository's hosts or wait for one
    #[arg(long, requires = "pending")]
    queue: bool,
    #[command(flatten)]
    reproduce: ReproduceArgs,
    #[command(flatten)]
    forge: ForgeArgs,
}

/// Sets the check run.
///
/// # Errors
/// Errors of the forge; bad input.
pub fn run(args: Args) -> Result<Exit> {
    let Args { finding, sha, pr, queue, reproduce, forge } = args;
    let (key, attempt) = (finding.key()?, finding.run_attempt());
    let repo = forge.repo()?.to_string();
    let place = finding.place(Some(repo), &forge.server_url, Some(&sha), Some(&reproduce))?;
    let found = finding.load()?;
    let mut text = Comment::text(&found, &place)?;
    if queue {
        let before = forge.with(|forge| forge.queue_before(attempt.run))?;
        text += &format!("\n{}\n", queue::sentence(before));
    }
    let title = found.headline();
    let base = place.base_sha.as_deref();
    let about = pr.zip(base).map(|(number, base)| CheckedPullRequest { number, base });
    let content = CheckRunContent {
        sha: &sha,
        key: &key,
        attempt,
        about,
        conclusion: conclusion(found.status()),
        title: &title,
        text: &text,
        link: place.link.as_deref(),
    };
    print(&match forge.with(|forge| check::upsert(forge, &content))? {
        CheckOutcome::Status(_) => format!("there are no check runs; set the status: {title}\n"),
        CheckOutcome::CheckRun(outcome) => match outcome {
            WriteOutcome::Created(id) => format!("set check run {id}: {title}\n"),
            WriteOutcome::Updated(id) => format!("updated check run {id}: {title}\n"),
            WriteOutcome::Unchanged(id) => format!("check run {id} is up to date: {title}\n"),
            WriteOutcome::Superseded(id) => format!("a newer run has set check run {id}\n"),
            WriteOutcome::DryRun => String::new(),
        },
    })?;
    Ok(Exit::Done)
}
