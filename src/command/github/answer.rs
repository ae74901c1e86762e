//! `shakedown github answer`.

use super::args::ForgeArgs;
use crate::{exit::Exit, output::print};
use anyhow::Result;
use clap::ValueHint;
use shakedown_forge::{
    RunAttempt,
    answer::{self, RequestAnswer},
};
use shakedown_report::plain;
use std::path::PathBuf;

/// Answers who asked for a measurement: a `/bench` comment gets the reaction 👀, or 👎 where it was
/// refused; the reason is a comment of its own, one a pull request, which goes away with the next request
/// that is accepted. Exits with 0 also where the forge takes no answer, because the conversation is locked
/// for example.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  shakedown github answer                          it is measured
  shakedown github answer --refused 'head is …'    the output `reason` of shakedown github authorize")]
pub struct Args {
    /// The event that asked, as JSON
    #[arg(long, value_name = "FILE", env = "GITHUB_EVENT_PATH", value_hint = ValueHint::FilePath)]
    event: PathBuf,
    /// Why nothing is measured
    #[arg(long, value_name = "REASON")]
    refused: Option<String>,
    /// Id of the workflow run that answers
    #[arg(long, value_name = "ID", env = "GITHUB_RUN_ID", default_value_t = 0)]
    run: u64,
    /// Attempt of that run
    #[arg(long, value_name = "N", env = "GITHUB_RUN_ATTEMPT", default_value_t = 1)]
    attempt: u64,
    #[command(flatten)]
    forge: ForgeArgs,
}

/// Answers.
///
/// # Errors
/// An event without a pull request; errors of the forge other than refusals.
pub fn run(args: Args) -> Result<Exit> {
    let Args { event, refused, run, attempt, forge } = args;
    let refusal = refused.map(|reason| refusal(&reason));
    let key = "request".parse()?;
    let failed = forge.with(|forge| {
        let author = forge.author()?;
        let attempt = RunAttempt { run, attempt };
        let answer =
            RequestAnswer { refusal: refusal.as_deref(), key: &key, attempt, author: &author };
        answer::send(forge, &event, &answer)
    })?;
    for error in failed {
        print(&format!("the forge takes no answer: {error}\n"))?;
    }
    Ok(Exit::Done)
}

/// The reason as a block of code: nothing in it is markup, and what it says to write can be copied.
fn refusal(reason: &str) -> String {
    let reason = plain(reason).replace("````", "");
    format!("A measurement was asked for, and nothing is measured:\n\n````text\n{reason}\n````")
}
