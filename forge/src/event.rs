//! Which pull request a workflow run is about. The event's file is written by the forge, but
//! what it tells is looked up again: the run may be old, and the pull request may have moved on.

use crate::{
    Forge, ForgeError,
    pull::{PullRequest, PullRequestFacts, WorkflowJob, WorkflowRun},
};
use serde::{Deserialize, Serialize};
use shakedown_protocol::is_commit;
use std::{fs::File, io::Read, path::Path};

/// An event's file is read up to this size, in bytes. GitHub ends them at 25 MB.
const EVENT: u64 = 32 << 20;

/// What the answer to "which pull request?" is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ResolvedPullRequest {
    /// Whether there is an open one.
    pub found: bool,
    /// Which.
    #[serde(flatten)]
    pub pull: PullRequestFacts,
    /// Whether it has moved on since: `head_sha` is what was measured, not what is there now.
    pub stale: bool,
    /// Whether nothing was measured, as nobody asked who may: a fork's push.
    pub refused: bool,
    /// Whether there is something to report: an open pull request, and a measurement that somebody who may
    /// has asked for and that was not cancelled.
    pub report: bool,
    /// Id of the workflow run that measured; 0: this one.
    pub run_id: u64,
    /// Its attempt.
    pub run_attempt: u64,
    /// Its page.
    pub run_url: String,
    /// How it ended.
    pub conclusion: String,
}

#[derive(Deserialize)]
struct WorkflowRunEvent {
    workflow_run: CompletedRun,
}

/// The run as it was when it ended; it may have been attempted again since.
#[derive(Deserialize)]
struct CompletedRun {
    id: u64,
    #[serde(default)]
    run_attempt: u64,
}

#[derive(Deserialize)]
struct PullRequestEvent {
    pull_request: PullRequest,
}

/// Reads an event's file.
///
/// # Errors
/// If it can't be read or parsed.
pub fn read<T: for<'de> Deserialize<'de>>(path: &Path) -> Result<T, ForgeError> {
    let name = path.display().to_string();
    let failed = |source| ForgeError::File { path: name.clone(), source };
    let mut text = String::new();
    let file = File::open(path).map_err(failed)?;
    file.take(EVENT).read_to_string(&mut text).map_err(failed)?;
    serde_json::from_str(&text)
        .map_err(|error| ForgeError::Shape { path: name, reason: error.to_string() })
}

/// Finds the pull request of an event. `workflow` is the file name of the workflow that
/// measures.
///
/// # Errors
/// An event that has none; a run of another workflow; what the forge said.
pub fn resolve(
    forge: &Forge,
    event_name: &str,
    event: &Path,
    workflow: &str,
) -> Result<ResolvedPullRequest, ForgeError> {
    match event_name {
        "workflow_run" => {
            let event: WorkflowRunEvent = read(event)?;
            let mut run = forge.run(event.workflow_run.id)?;
            if event.workflow_run.run_attempt > 0 {
                run.run_attempt = event.workflow_run.run_attempt;
            }
            of_run(forge, run, workflow)
        }
        "pull_request" => {
            let event: PullRequestEvent = read(event)?;
            let sha = event.pull_request.head.sha;
            let now = forge.pull(event.pull_request.number)?;
            resolved(forge, Some(now), &sha)
        }
        other => Err(ForgeError::NotFound(format!(
            "an event `{other}` is about no pull request that was measured; workflow_run and pull_request are"
        ))),
    }
}

fn of_run(
    forge: &Forge,
    run: WorkflowRun,
    workflow: &str,
) -> Result<ResolvedPullRequest, ForgeError> {
    let file = run.path.split('@').next().unwrap_or_default();
    let file = file.rsplit('/').next().unwrap_or_default();
    if file != workflow {
        return Err(ForgeError::NotFound(format!(
            "run {} is of the workflow `{}`, not of {workflow}: nothing of it is reported",
            run.id,
            file.escape_default()
        )));
    }
    let jobs = forge.jobs(run.id)?;
    if let Some(job) = measuring(&jobs).find(|job| !job.is_skipped() && job.is_hosted()) {
        return Err(ForgeError::NotFound(format!(
            "job `{}` of run {} did not ask for a host of this repository: nothing of it is reported",
            job.name.escape_default(),
            run.id
        )));
    }
    let mut resolved = match run.event.as_str() {
        // A comment's run is on the default branch, so that the branch tells nothing. The names
        // of its jobs are made by the forge, out of what the job before decided.
        "issue_comment" => of_jobs(forge, &run, &jobs)?,
        _ => of_branch(forge, &run, &jobs, workflow)?,
    };
    // The workflow file of a fork's own event is the fork's: whatever its jobs did, nobody asked for it.
    resolved.refused =
        was_refused(&run, &jobs) || (resolved.pull.fork && run.event != "issue_comment");
    resolved.run_id = run.id;
    // Gitea counts the attempts of jobs only; of its runs it says 0.
    let counted = jobs.iter().map(|job| job.run_attempt).max().unwrap_or(0);
    resolved.run_attempt = if run.run_attempt == 0 { counted.max(1) } else { run.run_attempt };
    resolved.run_url = run.html_url;
    resolved.conclusion = run.conclusion.unwrap_or_default();
    let given_up = ["cancelled", "stale"].contains(&&*resolved.conclusion);
    resolved.report = resolved.found && !resolved.refused && !given_up;
    Ok(resolved)
}

fn of_branch(
    forge: &Forge,
    run: &WorkflowRun,
    jobs: &[WorkflowJob],
    workflow: &str,
) -> Result<ResolvedPullRequest, ForgeError> {
    let (Some(repo), Some(branch)) = (&run.head_repository, &run.head_branch) else {
        return of_reference(forge, run, workflow);
    };
    let mut pulls = forge.pulls_of(&repo.full_name, branch)?;
    // A branch may have several pull requests, into different bases: the one that was measured, the
    // newest of those that have this very commit, or else the newest.
    let measured = measured(jobs).map(|(number, _)| number);
    pulls.sort_by_key(|pull| {
        (Some(pull.number) == measured, pull.head.sha == run.head_sha, pull.number)
    });
    resolved(forge, pulls.pop(), &run.head_sha)
}

/// Gitea tells neither branch nor repository, but the reference that the run was on.
fn of_reference(
    forge: &Forge,
    run: &WorkflowRun,
    workflow: &str,
) -> Result<ResolvedPullRequest, ForgeError> {
    let Some(number) = reference(&run.path, workflow) else {
        return resolved(forge, None, &run.head_sha);
    };
    let pull = forge.pull(number)?;
    resolved(forge, Some(pull).filter(|pull| pull.state == "open"), &run.head_sha)
}

/// 12 of `pr-measure.yml@refs/pull/12/head`. The forge appends the reference to the file's name.
/// It must be that and nothing else: a pull request may name a file as it likes.
fn reference(path: &str, workflow: &str) -> Option<u64> {
    let number = path.strip_prefix(workflow)?.strip_prefix("@refs/pull/")?.strip_suffix("/head")?;
    number.bytes().all(|b| b.is_ascii_digit()).then(|| number.parse().ok())?
}

/// Whether the job before the measuring job refused. If that job failed, the run failed, and the
/// report says so.
fn was_refused(run: &WorkflowRun, jobs: &[WorkflowJob]) -> bool {
    let mut measuring = measuring(jobs).peekable();
    run.conclusion.as_deref() == Some("success")
        && measuring.peek().is_some()
        && measuring.all(WorkflowJob::is_skipped)
}

/// The jobs that measure, by their names.
fn measuring(jobs: &[WorkflowJob]) -> impl Iterator<Item = &WorkflowJob> {
    jobs.iter().filter(|job| job.name.starts_with("measure"))
}

fn of_jobs(
    forge: &Forge,
    run: &WorkflowRun,
    jobs: &[WorkflowJob],
) -> Result<ResolvedPullRequest, ForgeError> {
    let Some((number, sha)) = measured(jobs) else {
        return resolved(forge, None, &run.head_sha);
    };
    let pull = forge.pull(number)?;
    resolved(forge, Some(pull).filter(|pull| pull.state == "open"), sha)
}

/// Pull request and commit that were measured, by the name of the job.
fn measured(jobs: &[WorkflowJob]) -> Option<(u64, &str)> {
    jobs.iter().find_map(|one| job(&one.name))
}

/// `measure #12 at 6bf3...`, also where the forge puts something behind it in brackets.
fn job(name: &str) -> Option<(u64, &str)> {
    let (number, rest) = name.strip_prefix("measure #")?.split_once(" at ")?;
    let sha = rest.split(' ').next()?;
    Some((number.parse().ok()?, Some(sha).filter(|sha| is_commit(sha))?))
}

fn resolved(
    forge: &Forge,
    pull: Option<PullRequest>,
    measured: &str,
) -> Result<ResolvedPullRequest, ForgeError> {
    let Some(pull) = pull else {
        let head_sha = measured.to_owned();
        return Ok(ResolvedPullRequest {
            pull: PullRequestFacts { head_sha, ..PullRequestFacts::default() },
            ..ResolvedPullRequest::default()
        });
    };
    let stale = pull.head.sha != measured;
    let pull = PullRequestFacts::at(forge, &pull, measured)?;
    Ok(ResolvedPullRequest { found: true, pull, stale, ..ResolvedPullRequest::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_name_of_a_job_tells_pull_request_and_commit() {
        let sha = "ab".repeat(20);
        assert_eq!(job(&format!("measure #12 at {sha}")), Some((12, sha.as_str())));
        assert_eq!(job(&format!("measure #12 at {sha} (bench-1)")), Some((12, sha.as_str())));
        for wrong in ["measure #12 at main", "measure #x at", "decide", "measure #-1 at a"] {
            assert_eq!(job(wrong), None, "{wrong}");
        }
        assert_eq!(job(&format!("re measure #12 at {sha}")), None);
    }

    #[test]
    fn the_reference_of_a_run_tells_the_pull_request_and_nothing_around_it_is_ignored() {
        let of = |path: &str| reference(path, "pr-measure.yml");
        assert_eq!(of("pr-measure.yml@refs/pull/12/head"), Some(12));
        for wrong in [
            "pr-measure.yml",
            "pr-measure.yml@refs/heads/main",
            "pr-measure.yml@refs/pull/+12/head",
            "pr-measure.yml@refs/pull//head",
            "pr-measure.yml@refs/pull/5/head@x.yml@refs/pull/12/head",
            "x/pr-measure.yml@refs/pull/12/head",
            "pr-measure.yml@refs/heads/x@refs/pull/12/head",
        ] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn no_name_makes_it_panic(name in ".{0,60}") {
            let _ = job(&name);
            let _ = job(&format!("measure #{name}"));
        }
    }
}
