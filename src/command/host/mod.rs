//! `shakedown host`: one file for each subcommand.

mod ask;
mod boot;
#[cfg(feature = "history")]
mod calibrate;
mod check;
mod epoch;
mod facts;
mod hold;
mod hook;
mod metrics;
mod osnoise;
#[cfg(feature = "github")]
mod runner_config;
#[cfg(feature = "github")]
mod runner_update;
mod sandbox;
mod tune;
mod watch;

#[cfg(not(feature = "history"))]
use super::left_out::history as calibrate;
#[cfg(not(feature = "github"))]
use super::left_out::{github as runner_config, github as runner_update};

use crate::exit::Exit;
use anyhow::Result;
use clap::ValueHint;
use shakedown_host::HostRoot;
use std::path::PathBuf;

/// Check this host, tune it for benchmarks, and restore it.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Compare every knob with the value of a quiet host; exits with 4 if the host is not fit
    Check(check::Args),
    /// Admit or refuse a GitHub Actions job, and clean up after it; called by the runner
    Hook(hook::Args),
    /// Measure the noise of this host by comparing unchanged code with itself
    Calibrate(Box<calibrate::Args>),
    /// Tune this host for benchmarks, with a journal of the original values
    Tune(tune::TuneArgs),
    /// Restore every knob to its original value
    Restore(tune::RestoreArgs),
    /// Show, write or remove boot parameters; never reboots
    Boot(boot::Args),
    /// Run a command like a trial: alone, on the benchmark CPUs, without deep idle states
    Hold(hold::Args),
    /// Trace what takes time from the benchmark CPUs
    Osnoise(osnoise::Args),
    /// Print the description of this host that run records contain, as JSON
    Facts(facts::Args),
    /// Watch throttling, interrupts, pressure and temperature of this host
    Watch(watch::Args),
    /// Show the epoch id of this host, or explain what changed between two epochs
    Epoch(epoch::Args),
    /// Write metrics of this host for node_exporter
    Metrics(metrics::Args),
    /// Install the newest GitHub Actions runner between two jobs, or say how old the installed one is
    RunnerUpdate(runner_update::Args),
    /// Request a just-in-time configuration, with which this host's runner takes one job
    RunnerConfig(runner_config::Args),
    /// Build unreviewed code, isolated from everything else on this host
    Sandbox(sandbox::SandboxArgs),
    /// Send a request to this host's root helper, like a job
    Ask(ask::Args),
    /// Run a command for a client, and kill it when the client closes the connection
    #[command(hide = true)]
    Serve(sandbox::ServeArgs),
}

/// Runs the subcommand.
///
/// # Errors
/// Whatever stops it.
pub fn run(args: Args) -> Result<Exit> {
    match args.verb {
        Verb::Check(args) => check::run(&args),
        Verb::Hook(args) => hook::run(&args),
        Verb::Calibrate(args) => calibrate::run(*args),
        Verb::Tune(args) => tune::tune(&args),
        Verb::Restore(args) => tune::restore(&args),
        Verb::Boot(args) => boot::run(&args),
        Verb::Hold(args) => hold::run(&args),
        Verb::Osnoise(args) => osnoise::run(&args),
        Verb::Facts(args) => facts::run(&args),
        Verb::Watch(args) => watch::run(&args),
        Verb::Epoch(args) => epoch::run(&args),
        Verb::Metrics(args) => metrics::run(&args),
        Verb::RunnerUpdate(args) => runner_update::run(args),
        Verb::RunnerConfig(args) => runner_config::run(args),
        Verb::Sandbox(args) => sandbox::sandbox(&args),
        Verb::Ask(args) => ask::run(&args),
        Verb::Serve(args) => sandbox::serve(&args),
    }
}

/// Which machine.
#[derive(Debug, clap::Args)]
struct MachineArgs {
    /// Read a captured tree of /sys and /proc instead of this host
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    root: Option<PathBuf>,
}

impl MachineArgs {
    fn root(&self) -> HostRoot {
        self.root.as_ref().map_or_else(HostRoot::real, HostRoot::at)
    }
}
