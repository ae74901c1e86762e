//! What a machine is and how it is set, as far as it moves measurements; how it is made quiet,
//! and how it is put back.
//!
//! Everything goes through a [`HostRoot`], so that captured trees of `/sys` and `/proc` stand
//! in for machines that the tests don't run on. [`observe`] needs no privilege, writes nothing
//! and does not block. [`tune`] sets the knobs of a [`Profile`] and writes down what they were
//! before, [`restore`] gives them back.

pub mod admission;
mod assign;
pub mod boot;
pub mod client;
mod cpu;
mod cpus;
mod epoch;
mod error;
mod form;
pub mod health;
pub mod helper;
mod journal;
mod knobs;
mod machine;
pub mod metrics;
mod observe;
pub mod osnoise;
mod partition;
mod place;
mod probes;
mod profile;
mod quiet;
mod root;
pub mod sandbox;
#[cfg(any(test, feature = "simulation"))]
pub mod simulation;
mod spots;
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
pub use cpus::{Cpus, NoCpus};
pub use epoch::changes;
pub use error::{HostError, ProfileError};
pub use form::Form;
pub use machine::Machine;
pub use observe::{facts, observe};
pub use profile::{Base, Effect, Knob, Match, PlaceSpec, Probe, Profile};
pub use quiet::{Quiet, hold};
pub use root::HostRoot;
pub use tune::{Change, Deeds, JOURNAL, Options, Outcome, TuneError, is_tuned, restore, tune};
