//! `shakedown github pull-request`.

use super::args::{ForgeArgs, WorkflowArgs};
use crate::exit::Exit;
use anyhow::Result;
use shakedown_forge::event;

/// Finds the pull request of a workflow run. Number and commits come from the event and the API,
/// never from an artifact. A branch of the same name in another fork does not match.
///
/// Events: `pull_request` and `workflow_run`. The run of a `workflow_run` event is read from the API
/// again; where `issue_comment` started it, its job must be named `measure #NUMBER at SHA`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Outputs:
  found        true, or false where the run belongs to no open pull request
  number       of the pull request
  head_sha     commit that was measured
  stale        true where the pull request has newer commits: set the check run, not the comment
  refused      true where nothing was measured because nobody with permission asked for it
  report       true where there is something to report: found, not refused and not cancelled
  head_repo    OWNER/NAME of the head repository
  head_ref     the head branch
  fork         true where head_repo is another repository
  base_sha     merge base of the two branches: what head is compared with
  behind_by    commits that the base branch has on top of it; null where the forge does not say
  base_ref     the base branch
  run_id, run_attempt, run_url, conclusion      of the run that measured")]
pub struct Args {
    /// File name of the workflow that measures; runs of another workflow are refused
    #[arg(long, value_name = "NAME", default_value = "pr-measure.yml")]
    workflow: String,
    #[command(flatten)]
    outputs: WorkflowArgs,
    #[command(flatten)]
    forge: ForgeArgs,
}

/// Finds the pull request.
///
/// # Errors
/// An event without a pull request; a run of another workflow; errors of the forge.
pub fn run(args: Args) -> Result<Exit> {
    let Args { workflow, outputs, forge } = args;
    let found = forge.with(|forge| {
        event::resolve(forge, &outputs.event_name, &outputs.event, &workflow)
            .map(|found| (found, outputs))
    });
    let (found, outputs) = found?;
    outputs.put(&found)?;
    Ok(Exit::Done)
}
