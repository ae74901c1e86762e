//! `shakedown github summary`.

use super::args::{Again, Finding};
use crate::{exit::Exit, github::refused};
use anyhow::{Context, Result};
use clap::ValueHint;
use shakedown_forge::Repo;
use shakedown_report::Comment;
use std::{fs, io::Write, path::PathBuf};

/// Adds the text of the comment to the summary of the job. Talks to no forge. Ends with 0
/// whatever the verdict.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    finding: Finding,
    /// Commit that was measured
    #[arg(long, value_name = "SHA", env = "GITHUB_SHA")]
    sha: Option<String>,
    /// The repository
    #[arg(long, value_name = "OWNER/NAME", env = "GITHUB_REPOSITORY")]
    repo: Option<String>,
    /// Where the forge's pages are, for links
    #[arg(
        long,
        value_name = "URL",
        env = "GITHUB_SERVER_URL",
        default_value = "https://github.com"
    )]
    server_url: String,
    #[command(flatten)]
    again: Again,
    /// File to add it to [default: standard output]
    #[arg(long, short, value_name = "FILE", env = "GITHUB_STEP_SUMMARY", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
}

/// Adds the summary.
///
/// # Errors
/// What is wrong with the input, or a file that can't be written.
pub fn run(args: Args) -> Result<Exit> {
    let Args { finding, sha, repo, server_url, again, out } = args;
    if let Some(repo) = &repo {
        let _: Repo = repo.parse().map_err(refused)?;
    }
    let place = finding.place(repo, &server_url, sha.as_deref(), Some(&again))?;
    let text = Comment::text(&finding.load()?, &place)?;
    let Some(path) = out else {
        crate::output::print(&text)?;
        return Ok(Exit::Done);
    };
    let file = fs::OpenOptions::new().append(true).create(true).open(&path);
    // Whatever stands there already may lack its line break.
    file.and_then(|mut file| file.write_all(format!("\n{text}").as_bytes()))
        .with_context(|| format!("can't write {}", path.display()))?;
    Ok(Exit::Done)
}
