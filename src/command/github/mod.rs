//! `shakedown github`.

mod answer;
mod args;
mod authorize;
mod check;
mod comment;
mod end;
mod intake;
mod issue;
mod pull_request;
mod status;
mod summary;

use crate::exit::Exit;
use anyhow::Result;
use clap::Subcommand;

/// Reports results to GitHub, or to a forge with the same API, and unpacks artifacts of pull
/// requests.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The token comes from GITHUB_TOKEN or --token-file and is never printed. GITHUB_API_URL names the
API. Requests that fail with 429, 5xx or a rate limit are retried, after the time that the response
asks for.

To report on a pull request, in a workflow that runs no foreign code:
  shakedown github pull-request                        writes number, head_sha, ... to GITHUB_OUTPUT
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
    /// Write or update the comment on a pull request
    Comment(comment::Args),
    /// Set the check run of a commit, or its status if there are no check runs
    Check(check::Args),
    /// End a check run in progress whose measurement was given up
    End(end::Args),
    /// Set the status of a commit
    Status(status::Args),
    /// Open, update and close issues, one for each cause
    Issue(issue::Args),
    /// Append the comment's text to the job's summary
    Summary(summary::Args),
    /// Find the pull request of a workflow run through the API
    PullRequest(pull_request::Args),
    /// Decide whether a label or a `/bench` comment may start a measurement
    Authorize(authorize::Args),
    /// Answer who asked for a measurement, and why if it is refused
    Answer(answer::Args),
    /// Unpack an artifact of a pull request, as hostile data
    Intake(intake::Args),
}

/// Runs the verb.
///
/// # Errors
/// Errors of the forge; bad input.
pub fn run(args: Args) -> Result<Exit> {
    match args.verb {
        Verb::Comment(args) => comment::run(args),
        Verb::Check(args) => check::run(args),
        Verb::End(args) => end::run(args),
        Verb::Status(args) => status::run(args),
        Verb::Issue(args) => issue::run(args),
        Verb::Summary(args) => summary::run(args),
        Verb::PullRequest(args) => pull_request::run(args),
        Verb::Authorize(args) => authorize::run(args),
        Verb::Answer(args) => answer::run(args),
        Verb::Intake(args) => intake::run(args),
    }
}
