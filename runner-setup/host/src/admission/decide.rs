//! Decides whether a job may run.

use super::{AdmissionPolicy, Origin, RunnerJob};
use std::fmt;

/// State of the host when the job arrived.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostState {
    /// Who holds the host.
    pub holder: Option<String>,
    /// Why the host is not fit; empty when it is.
    pub unfit: Vec<String>,
}

/// Why a job may not run here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AdmissionRefusal {
    /// The repository is not allowed.
    Repository(String),
    /// The event is not allowed.
    Event(String),
    /// The code is that of a fork.
    Fork(String),
    /// The event does not say whose code it is.
    UnknownOrigin(String),
    /// The code may be a fork's, and the workflow file is not the default branch's: a fork may
    /// have written it.
    ForeignWorkflow(String),
    /// Another run has the host.
    Busy(String),
    /// The host is not fit.
    Unfit(Vec<String>),
}

impl fmt::Display for AdmissionRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Repository(name) => write!(
                f,
                "repository {name} may not use this host: its operator lists the allowed ones \
                 under `repositories` in /etc/shakedown/runner.toml"
            ),
            Self::Event(name) => write!(
                f,
                "jobs of event {name} may not use this host: see `events` in \
                 /etc/shakedown/runner.toml"
            ),
            Self::Fork(name) => write!(
                f,
                "the code comes from {name}, a fork: pull requests of forks may not use this \
                 host. Push the branch to the repository itself after reading it"
            ),
            Self::UnknownOrigin(event) => write!(
                f,
                "event {event} does not tell whose code this is, so it counts as a fork's: use \
                 push, schedule, workflow_dispatch or pull_request"
            ),
            Self::ForeignWorkflow(event) => write!(
                f,
                "the workflow of this {event} job is not the default branch's, so that a fork may \
                 have written it: comment /bench on the pull request instead"
            ),
            Self::Busy(holder) => {
                write!(f, "the host is in use by {holder}: run this job again when that has ended")
            }
            Self::Unfit(why) => write!(
                f,
                "the host is not fit to measure: {}. `shakedown host check` on it tells more",
                why.join("; ")
            ),
        }
    }
}

/// All reasons against a job; none if it may run.
pub fn decide(
    policy: &AdmissionPolicy,
    job: &RunnerJob,
    found: &HostState,
) -> Vec<AdmissionRefusal> {
    let mut refusals = Vec::new();
    if !policy.allows_repository(&job.repository) {
        refusals.push(AdmissionRefusal::Repository(job.repository.clone()));
    }
    if !policy.allows_event(&job.event) {
        refusals.push(AdmissionRefusal::Event(job.event.clone()));
    }
    match &job.origin {
        Origin::Fork(name) if !policy.fork_pull_requests => {
            refusals.push(AdmissionRefusal::Fork(name.clone()));
        }
        Origin::Unknown if !policy.fork_pull_requests => {
            refusals.push(AdmissionRefusal::UnknownOrigin(job.event.clone()));
        }
        Origin::Fork(_) | Origin::Unknown if !job.default_workflow => {
            refusals.push(AdmissionRefusal::ForeignWorkflow(job.event.clone()));
        }
        _ => {}
    }
    if let Some(holder) = &found.holder {
        refusals.push(AdmissionRefusal::Busy(holder.clone()));
    }
    if policy.require_fit && !found.unfit.is_empty() {
        refusals.push(AdmissionRefusal::Unfit(found.unfit.clone()));
    }
    refusals
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn policy(more: &str) -> AdmissionPolicy {
        let text =
            format!("repositories = [\"o/n\"]\nevents = [\"push\", \"pull_request\"]\n{more}");
        AdmissionPolicy::parse(&text, Path::new("runner.toml")).unwrap()
    }

    fn job(origin: Origin) -> RunnerJob {
        let (repository, event) = ("o/n".to_owned(), "pull_request".to_owned());
        RunnerJob { repository, event, origin, default_workflow: true, title: "t".to_owned() }
    }

    #[test]
    fn an_allowed_job_on_a_fit_and_free_host_runs() {
        assert_eq!(decide(&policy(""), &job(Origin::SameRepository), &HostState::default()), []);
    }

    #[test]
    fn every_reason_is_told_at_once() {
        let job = RunnerJob {
            repository: "x/y".to_owned(),
            event: "issue_comment".to_owned(),
            ..job(Origin::Fork("x/z".to_owned()))
        };
        let found = HostState {
            holder: Some("alice, process 7".to_owned()),
            unfit: vec!["smt is on, wanted off".to_owned()],
        };
        let told: Vec<String> =
            decide(&policy(""), &job, &found).iter().map(AdmissionRefusal::to_string).collect();
        insta::assert_snapshot!(told.join("\n"));
    }

    #[test]
    fn forks_and_unfit_hosts_only_where_the_operator_says_so() {
        let found = HostState { holder: None, unfit: vec!["a guest".to_owned()] };
        let lax = policy("fork-pull-requests = true\nrequire-fit = false");
        for origin in [Origin::Fork("x/n".to_owned()), Origin::Unknown] {
            assert_eq!(decide(&lax, &job(origin.clone()), &found), []);
            assert_eq!(decide(&policy(""), &job(origin.clone()), &found).len(), 2);
            // The operator can't allow a workflow that a fork wrote.
            let own = RunnerJob { default_workflow: false, ..job(origin) };
            let refusal = AdmissionRefusal::ForeignWorkflow("pull_request".to_owned());
            assert_eq!(decide(&lax, &own, &found), [refusal]);
        }
    }
}
