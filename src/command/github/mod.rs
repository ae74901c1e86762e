//! `shakedown github`.

mod args;
mod authorize;
mod check;
mod comment;
mod intake;
mod issue;
mod pull_request;
mod status;
mod summary;

use crate::exit::Exit;
use anyhow::Result;
use clap::Subcommand;

/// Tells GitHub, or a forge with the same interface, what was found; and takes in what pull
/// requests hand over.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The token comes from GITHUB_TOKEN or --token-file and is never printed. The API is that of
GITHUB_API_URL. Requests that meet a 429, a 5xx or a limit are repeated, as the answer asks for.

The way of a pull request, in a workflow that has seen no foreign code:
  shakedown github pull-request                        which one? writes number, head_sha, ... to GITHUB_OUTPUT
  shakedown github intake --run ID --artifact record --out in
  shakedown github comment in --pr N --sha SHA --run ID
  shakedown github check in --sha SHA --run ID
  shakedown github summary in
  shakedown gate in                                    the exit code of the verdict")]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Write the one comment on a pull request, or update it
    Comment(comment::Args),
    /// Set the check run of a commit, or its status where there are no check runs
    Check(check::Args),
    /// Set the status of a commit
    Status(status::Args),
    /// Open, update and close issues, one a cause
    Issue(issue::Args),
    /// Add the comment's text to the summary of the job
    Summary(summary::Args),
    /// Find the pull request that a workflow run is about, by the API
    PullRequest(pull_request::Args),
    /// Decide whether a label or a `/bench` comment may start a measurement
    Authorize(authorize::Args),
    /// Take in an artifact of a pull request: hostile until proven harmless
    Intake(intake::Args),
}

/// Does what the command line asks for.
///
/// # Errors
/// What the forge said, or what is wrong with the input.
pub fn run(args: Args) -> Result<Exit> {
    match args.verb {
        Verb::Comment(args) => comment::run(args),
        Verb::Check(args) => check::run(args),
        Verb::Status(args) => status::run(args),
        Verb::Issue(args) => issue::run(args),
        Verb::Summary(args) => summary::run(args),
        Verb::PullRequest(args) => pull_request::run(args),
        Verb::Authorize(args) => authorize::run(args),
        Verb::Intake(args) => intake::run(args),
    }
}
