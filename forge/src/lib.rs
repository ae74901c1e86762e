//! A client for GitHub and for forges with the same API, such as Gitea.
//!
//! - [`comment`], [`check`], [`status`] and [`issue`] write. Each write is idempotent: doing it
//!   twice, or from two jobs at once, gives the same result as doing it once.
//! - [`event`] finds the pull request of a workflow run, [`authorize`] decides who may start a
//!   measurement, and [`answer`] tells them.
//! - [`setup`] reads how a repository is set up.
//! - [`registration`] requests the configuration with which a runner takes one job.
//! - [`artifact`] downloads an artifact, and [`intake`] unpacks it as hostile data; [`release`]
//!   downloads files of a release.
//!
//! All requests go through [`Forge`], which retries transient failures.
//!
//! This crate must not know what is measured, how a verdict comes about or what a report looks
//! like: it takes texts. Of the project's crates it uses `shakedown-protocol` only.

pub mod answer;
pub mod artifact;
pub mod authorize;
mod bench_command;
pub mod check;
mod client;
pub mod comment;
mod error;
pub mod event;
#[cfg(feature = "fake")]
pub mod fake;
pub mod intake;
pub mod issue;
mod marker;
mod merge_base;
mod options;
mod outcome;
pub mod pull;
mod queue;
pub mod registration;
pub mod release;
mod retry;
mod runners;
pub mod setup;
pub mod status;
mod storage;
mod transport;

pub use client::Forge;
pub use error::ForgeError;
pub use marker::{ContentKey, ContentKeyError, RunAttempt};
pub use merge_base::MergeBase;
pub use options::{ForgeOptions, RepoName, RetrySleep, Token};
pub use outcome::WriteOutcome;
pub use queue::HostQueue;
pub use runners::{RegisteredRunner, RunnerLabel, UsableRunnerGroup};
