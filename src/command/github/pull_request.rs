//! `shakedown github pull-request`.

use super::args::{Forge, Workflow};
use crate::exit::Exit;
use anyhow::Result;
use shakedown_forge::event;

/// Finds the pull request that a workflow run is about. Number and commits come from the event
/// and the API, never from an artifact; a fork's branch of the same name does not count.
///
/// Events: `workflow_run` (the run is looked up again; started by `issue_comment`, its job must
/// be called `measure #NUMBER at SHA`), `pull_request`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Outputs:
  found        true, or false where the run belongs to no open pull request
  number       of the pull request
  head_sha     commit that was measured
  stale        true where the pull request has moved on since: report the check, not the comment
  refused      true where nothing was measured, as nobody asked for it who may
  head_repo    OWNER/NAME that head is in
  head_ref     its branch
  fork         true where that is another repository
  base_sha     commit of the base branch
  base_ref     the base branch
  run_id, run_attempt, run_url, conclusion      of the run that measured")]
pub struct Args {
    /// File name of the workflow that measures; runs of another workflow are refused
    #[arg(long, value_name = "NAME", default_value = "pr-measure.yml")]
    workflow: String,
    #[command(flatten)]
    outputs: Workflow,
    #[command(flatten)]
    forge: Forge,
}

/// Finds the pull request.
///
/// # Errors
/// An event that has none, a run of another workflow, what the forge said.
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
