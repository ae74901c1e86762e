//! `shakedown github check`.

use super::args::{Again, Finding, Forge};
use crate::{exit::Exit, github::conclusion, output::print};
use anyhow::Result;
use shakedown_forge::check::{self, Put};
use shakedown_report::Comment;

/// Sets the check run of a commit: success, neutral (inconclusive) or failure. Where the forge
/// has no check runs, or the token may not write them, the status of the commit is set instead.
/// Ends with 0 whatever the verdict.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    finding: Finding,
    /// Commit that was measured: from `shakedown github pull-request`, never from an artifact
    #[arg(long, value_name = "SHA")]
    sha: String,
    #[command(flatten)]
    again: Again,
    #[command(flatten)]
    forge: Forge,
}

/// Sets the check run.
///
/// # Errors
/// What the forge said, or what is wrong with the input.
pub fn run(args: Args) -> Result<Exit> {
    let Args { finding, sha, again, forge } = args;
    let (key, stamp) = (finding.key()?, finding.stamp());
    let repo = forge.repo()?.to_string();
    let place = finding.place(Some(repo), &forge.server_url, Some(&sha), Some(&again))?;
    let found = finding.load()?;
    let text = Comment::text(&found, &place)?;
    let title = found.headline();
    let wanted = check::Wanted {
        sha: &sha,
        key: &key,
        stamp,
        conclusion: conclusion(found.standing()),
        title: &title,
        text: &text,
        link: place.link.as_deref(),
    };
    let put = forge.with(|forge| check::put(forge, &wanted))?;
    print(&match put {
        Put::Created(id) => format!("set check run {id}: {title}\n"),
        Put::Updated(id) => format!("updated check run {id}: {title}\n"),
        Put::Outdated(id) => format!("a newer run has set check run {id}\n"),
        Put::Status(_) => format!("there are no check runs; set the status: {title}\n"),
        Put::Planned => String::new(),
    })?;
    Ok(Exit::Done)
}
