//! The noise of a host.

use crate::{
    exit::Exit,
    history::{HistoryArgs, noise::of_host},
    output::print_json,
    policies::Policies,
    project::ProjectRoot,
};
use anyhow::Result;

#[derive(Debug, clap::Args)]
pub struct NoiseArgs {
    #[command(flatten)]
    history: HistoryArgs,
    /// Host epoch [default: that of this machine]
    #[arg(long, value_name = "ID")]
    epoch: Option<String>,
    #[command(flatten)]
    policies: Policies,
}

/// Prints the noise as JSON; `null` where the history has no A/A run of the epoch.
///
/// # Errors
/// If the history can't be read.
pub fn noise(args: &NoiseArgs) -> Result<Exit> {
    let policy = args.policies.load(&ProjectRoot::find()?)?;
    let epoch = match &args.epoch {
        Some(epoch) => epoch.clone(),
        None => shakedown_host::facts(&shakedown_host::HostRoot::real())?.epoch.id,
    };
    print_json(&of_host(&args.history.folder, &epoch, &policy.budget)?)?;
    Ok(Exit::Done)
}
