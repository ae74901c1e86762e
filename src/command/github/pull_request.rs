//! `shakedown github pull-request`.

use super::args::{Forge, Workflow};
use crate::exit::Exit;
use anyhow::Result;

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

/// Does it.
///
/// # Errors
/// What the forge said, or what is wrong with the input.
pub fn run(_args: Args) -> Result<Exit> {
    anyhow::bail!("not built in yet")
}
