//! `shakedown host`: one file a verb.

mod ask;
mod boot;
mod calibrate;
mod check;
mod epoch;
mod facts;
mod hold;
mod hook;
mod metrics;
mod osnoise;
mod sandbox;
mod tune;
mod watch;

use crate::exit::Exit;
use anyhow::Result;
use clap::ValueHint;
use shakedown_host::HostRoot;
use std::path::PathBuf;

/// Looks at this machine, makes it quiet, and puts it back.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Compare every knob with what a quiet host has; exits with 4 when the host is not fit
    Check(check::Args),
    /// Admit or refuse a job of GitHub Actions, and clean up behind it: what the runner calls
    Hook(hook::Args),
    /// Measure unchanged code against itself: how much does this host move?
    Calibrate(Box<calibrate::Args>),
    /// Make this machine quiet, knob by knob, with a journal of what it was
    Tune(tune::TuneArgs),
    /// Give every knob its original back
    Restore(tune::RestoreArgs),
    /// Show, write or remove boot parameters; the reboot is yours
    Boot(boot::Args),
    /// Run a command of yours as benchmarks run: alone, on their CPUs, wide awake
    Hold(hold::Args),
    /// Ask the kernel's tracers what takes time from the benchmark CPUs
    Osnoise(osnoise::Args),
    /// Print what a run record says of this host, as JSON
    Facts(facts::Args),
    /// Watch what the host does while something is measured
    Watch(watch::Args),
    /// Show the host's state as one id, or what changed between two
    Epoch(epoch::Args),
    /// Write the host's health for node_exporter
    Metrics(metrics::Args),
    /// Build code that nobody has reviewed, apart from everything else on this host
    Sandbox(sandbox::SandboxArgs),
    /// Ask this host's root helper for something, as a job does
    Ask(ask::Args),
    /// Run a command for a client, and kill it when the client closes the connection
    #[command(hide = true)]
    Serve(sandbox::ServeArgs),
}

/// Does what the verb says.
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
        Verb::Sandbox(args) => sandbox::sandbox(&args),
        Verb::Ask(args) => ask::run(&args),
        Verb::Serve(args) => sandbox::serve(&args),
    }
}

/// Which machine.
#[derive(Debug, clap::Args)]
struct Machine {
    /// Look at a captured tree of a machine instead of this one
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    root: Option<PathBuf>,
}

impl Machine {
    fn root(&self) -> HostRoot {
        self.root.as_ref().map_or_else(HostRoot::real, HostRoot::at)
    }
}
