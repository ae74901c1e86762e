//! May this job run on this host, and what is cleaned up behind it.
//!
//! The runner calls a hook before a job's first step and one after its last. What the hooks
//! decide stands here, apart from the network, the runner and root: a [`Policy`] of the
//! operator (`/etc/shakedown/runner.toml`), a [`Job`] from the environment and the event that
//! the runner hands over, the host as it was found, and out come the [`Refusal`]s.

mod cgroup;
mod decide;
mod job;
mod policy;
mod processes;
mod wipe;

pub use cgroup::{CgroupError, own_cgroup};
pub use decide::{HostState, Refusal, decide};
pub use job::{Job, JobError, Origin};
pub use policy::{BetweenJobs, Policy, PolicyError};
pub use processes::{KillReport, ancestors, kill_processes};
pub use wipe::wipe;
