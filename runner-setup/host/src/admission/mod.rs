//! May this job run on this host, and what is cleaned up behind it.
//!
//! The runner calls a hook before a job's first step and one after its last. What the hooks
//! decide stands here, apart from the network, the runner and root: a [`AdmissionPolicy`] of the
//! operator (`/etc/shakedown/runner.toml`), a [`RunnerJob`] from the environment and the event that
//! the runner hands over, the host as it was found, and out come the [`AdmissionRefusal`]s.

mod cgroup;
mod decide;
mod job;
mod policy;
mod processes;
mod wipe;

pub use cgroup::{CgroupError, own_cgroup};
pub use decide::{AdmissionRefusal, HostState, decide};
pub use job::{Origin, RunnerJob, RunnerJobError};
pub use policy::{AdmissionPolicy, AdmissionPolicyError, BetweenJobs};
pub use processes::{KillReport, ancestors, kill_processes};
pub use wipe::wipe;
