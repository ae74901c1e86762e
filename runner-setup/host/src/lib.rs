//! One host: what it is, how it is set, and how it becomes a quiet benchmark host and back.
//!
//! - [`observe`] reads the machine and every knob of its [`Profile`]. It needs no privilege, writes
//!   nothing and does not block.
//! - [`tune`] sets the knobs that differ. It writes the originals to a journal first, so that
//!   [`restore`] gives them back after a kill at any moment.
//! - [`hold`] keeps a host quiet during a run; [`watch`] and [`osnoise`] show what disturbs it.
//! - [`boot`] manages boot parameters, [`admission`] decides about jobs and cleans up after them,
//!   [`sandbox`], [`client`] and [`helper`] speak to the services of `runner-setup/`.
//!
//! Everything is read and changed through a [`HostRoot`], so that tests can use captured trees of
//! `/sys` and `/proc` of other machines.
//!
//! This crate must not know what is measured: no subjects, suites, schedules, verdicts or reports,
//! and no GitHub API. Of the project's crates it uses `shakedown-protocol` only.

pub mod admission;
mod assign;
pub mod boot;
mod captured;
pub mod client;
mod cpu;
mod cpus;
mod epoch;
mod error;
mod format;
pub mod health;
pub mod helper;
mod journal;
mod knobs;
mod machine;
pub mod metrics;
mod observe;
pub mod osnoise;
mod partition;
mod probes;
mod profile;
mod quiet;
mod root;
mod runner_installation;
mod runner_release;
mod runner_version;
pub mod sandbox;
mod setting;
#[cfg(any(test, feature = "simulation"))]
pub mod simulation;
mod state;
mod swap;
mod system;
#[cfg(test)]
mod testing;
mod toolchains;
mod topology;
pub mod tree;
mod tune;
mod units;
pub mod watch;

pub use assign::{Assignment, isolated};
pub use cpus::{CpuSet, CpuSetError};
pub use epoch::changes;
pub use error::{HostError, ProfileError};
pub use format::ValueFormat;
pub use machine::Machine;
pub use observe::{facts, observe};
pub use profile::{BaseFrequency, EffectCheck, KnobFile, KnobProbe, KnobSpec, MatchRule, Profile};
pub use quiet::{QuietHold, hold};
pub use root::HostRoot;
pub use runner_installation::{RunnerInstallError, RunnerInstallation};
pub use runner_release::{
    KnownRunnerReleases, PublishedRunner, RUNNER_PREFIX, RunnerAge, RunnerState,
};
pub use runner_version::{RunnerVersion, RunnerVersionError};
pub use tune::{
    ChangeOutcome, JOURNAL, SettingChange, TuneError, TuneOptions, TuneReport, is_tuned, restore,
    tune,
};
