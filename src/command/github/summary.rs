//! `shakedown github summary`.

use super::args::{FindingArgs, ReproduceArgs};
use crate::{exit::Exit, github::refused};
use anyhow::{Context, Result};
use clap::ValueHint;
use shakedown_forge::RepoName;
use shakedown_report::Comment;
use std::{fs, io::Write, path::PathBuf};

/// Appends the text of the comment to the job's summary. Makes no request. Exits with 0 whatever
/// the verdict.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    finding: FindingArgs,
    /// Commit that was measured
    #[arg(long, value_name = "SHA", env = "GITHUB_SHA")]
    sha: Option<String>,
    /// The repository
    #[arg(long, value_name = "OWNER/NAME", env = "GITHUB_REPOSITORY")]
    repo: Option<String>,
    /// Base URL of the forge's pages, for links
    #[arg(
        long,
        value_name = "URL",
        env = "GITHUB_SERVER_URL",
        default_value = "https://github.com"
    )]
    server_url: String,
    #[command(flatten)]
    reproduce: ReproduceArgs,
    /// File to append it to [default: standard output]
    #[arg(long, short, value_name = "FILE", env = "GITHUB_STEP_SUMMARY", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
}

/// Adds the summary.
///
/// # Errors
/// Bad input; a file that can't be written.
pub fn run(args: Args) -> Result<Exit> {
    let Args { finding, sha, repo, server_url, reproduce, out } = args;
    if let Some(repo) = &repo {
        let _: RepoName = repo.parse().map_err(refused)?;
    }
    let place = finding.place(repo, &server_url, sha.as_deref(), Some(&reproduce))?;
    let text = Comment::text(&finding.load()?, &place)?;
    let Some(path) = out else {
        crate::output::print(&text)?;
        return Ok(Exit::Done);
    };
    let file = fs::OpenOptions::new().append(true).create(true).open(&path);
    // The file's last line may lack its line break.
    file.and_then(|mut file| file.write_all(format!("\n{text}").as_bytes()))
        .with_context(|| format!("can't write {}", path.display()))?;
    Ok(Exit::Done)
}
