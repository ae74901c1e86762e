//! What is before a job that waits for a host of the repository's own. GitHub has no API for the place
//! in a queue, so the jobs of older runs are counted.

use crate::{Forge, ForgeError, pull::WorkflowJob};
use serde::Deserialize;
use std::collections::BTreeSet;

/// Runs whose jobs are looked at: each costs a request.
const RUNS: usize = 30;

/// Jobs of older runs of the same repository that use its hosts, or wait for one. Other repositories
/// may share the hosts; a repository's token does not see their runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostQueue {
    /// Jobs that are running.
    pub running: usize,
    /// Jobs that are waiting.
    pub waiting: usize,
    /// Whether there are more runs than were looked at.
    pub more: bool,
}

#[derive(Deserialize)]
struct ListedRun {
    id: u64,
}

impl Forge {
    /// The labels of each job of the repository that waits for a runner, among its oldest runs. `None` where
    /// the forge does not say.
    ///
    /// # Errors
    /// Errors of the forge.
    pub fn waiting_jobs(&self) -> Result<Option<Vec<Vec<String>>>, ForgeError> {
        let Some(runs) = self.unfinished_runs()? else { return Ok(None) };
        let mut waiting = Vec::new();
        for run in runs.into_iter().take(RUNS) {
            let jobs = self.jobs(run)?.into_iter();
            waiting
                .extend(jobs.filter(|job| place(job) == Some(false)).filter_map(|job| job.labels));
        }
        Ok(Some(waiting))
    }

    /// Counts the jobs of runs before `run`. `None` where the forge does not say.
    ///
    /// # Errors
    /// Errors of the forge.
    pub fn queue_before(&self, run: u64) -> Result<Option<HostQueue>, ForgeError> {
        let Some(mut before) = self.unfinished_runs()? else { return Ok(None) };
        before.retain(|id| *id < run);
        let mut queue = HostQueue { more: before.len() > RUNS, ..HostQueue::default() };
        for run in before.into_iter().take(RUNS) {
            let jobs = self.jobs(run)?;
            for job in jobs.iter().filter(|job| job.labels.is_some() && !job.is_hosted()) {
                match place(job) {
                    Some(true) => queue.running += 1,
                    Some(false) => queue.waiting += 1,
                    None => {}
                }
            }
        }
        Ok(Some(queue))
    }

    /// The runs that wait or work, oldest first; `None` where the forge does not say.
    fn unfinished_runs(&self) -> Result<Option<BTreeSet<u64>>, ForgeError> {
        let mut found = BTreeSet::new();
        for status in ["in_progress", "queued"] {
            let path = self.path(&format!("actions/runs?status={status}"));
            match self.list::<ListedRun>(&path, "workflow_runs") {
                Ok(runs) => found.extend(runs.iter().map(|one| one.id)),
                Err(error) if matches!(error.status(), Some(403 | 404)) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(found))
    }
}

/// Whether a job runs (`true`) or waits; `None` once it has ended.
fn place(job: &WorkflowJob) -> Option<bool> {
    match job.status.as_deref()? {
        "completed" => None,
        status => Some(status == "in_progress"),
    }
}
