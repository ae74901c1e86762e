//! How a run uses the host: the options that every command which measures has.

use crate::exit::{CommandError, Exit};
use anyhow::Result;
use shakedown_protocol::CountTiming;

/// How the host is used while something is measured.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct HostOptions {
    /// CPU to measure on [default: the last isolated CPU, or else the last CPU]
    #[arg(long)]
    pub cpu: Option<u32>,
    /// When to take counts: beside-times, on one other CPU, or after-times, on all CPUs [default: after-times]
    #[arg(long, value_name = "WHEN", value_parser = count_timing)]
    pub counts: Option<CountTiming>,
    /// Fail instead of waiting if another run uses this host
    #[arg(long)]
    pub no_wait: bool,
    /// Refuse to measure on a host that `shakedown host check` calls unfit
    #[arg(long)]
    pub require_fit: bool,
}

impl HostOptions {
    /// The same options, as arguments.
    pub fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if let Some(cpu) = self.cpu {
            arguments.extend(["--cpu".to_owned(), cpu.to_string()]);
        }
        if let Some(counts) = self.counts {
            arguments.extend(["--counts".to_owned(), counts.to_string()]);
        }
        for (given, name) in [(self.no_wait, "--no-wait"), (self.require_fit, "--require-fit")] {
            arguments.extend(given.then(|| name.to_owned()));
        }
        arguments
    }

    /// The facts of this host. Call it before any build, because it checks the options against them.
    ///
    /// # Errors
    /// If the host is unfit and the options require a fit one, if the CPU is unusable, or if `/proc` can't
    /// be read.
    pub fn observe(&self) -> Result<shakedown_protocol::HostFacts> {
        self.cpu.map_or(Ok(()), shakedown_schedule::check_cpu)?;
        let host = shakedown_host::facts(&shakedown_host::HostRoot::real())?;
        if self.require_fit && !host.fit {
            let why = "this host is not fit for numbers; `shakedown host check` says why";
            return Err(CommandError::new(Exit::Host, why).into());
        }
        Ok(host)
    }
}

fn count_timing(name: &str) -> Result<CountTiming, String> {
    let found = CountTiming::ALL.into_iter().find(|when| when.name() == name);
    found.ok_or_else(|| "beside-times or after-times".to_owned())
}
