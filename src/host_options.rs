//! How a run uses the host: the options that every command which measures has.

use crate::exit::{CommandError, Exit};
use anyhow::Result;

/// How the host is used while something is measured.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct HostOptions {
    /// Which CPU to measure on [default: the last isolated one, or else the last one]
    #[arg(long)]
    pub cpu: Option<u32>,
    /// Fail when another run has this host, instead of waiting for it
    #[arg(long)]
    pub no_wait: bool,
    /// Refuse to measure on a host that `shakedown host check` calls unfit
    #[arg(long)]
    pub require_fit: bool,
}

impl HostOptions {
    /// The machine, unless it is unfit and must not be.
    ///
    /// # Errors
    /// If it is; or if `/proc` can't be read.
    pub fn observe(&self) -> Result<shakedown_protocol::HostFacts> {
        let host = shakedown_host::facts(&shakedown_host::HostRoot::real())?;
        if self.require_fit && !host.fit {
            let why = "this host is not fit for numbers; `shakedown host check` says why";
            return Err(CommandError::new(Exit::Host, why).into());
        }
        Ok(host)
    }
}
