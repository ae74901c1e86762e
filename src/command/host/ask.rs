//! `shakedown host ask`.

use crate::exit::Exit;
use anyhow::Result;
use clap::ValueHint;
use shakedown_host::helper;
use std::path::PathBuf;

/// Ask this host's root helper for something, as a job does.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exits with the code of the request, or with 2 if there is no answer.")]
pub(super) struct Args {
    /// tune, restore, check, facts or enter; in the sandbox only the last two
    request: String,
    /// Socket of the helper
    #[arg(long, value_name = "FILE", default_value = "/run/shakedown/helper.sock", value_hint = ValueHint::FilePath)]
    socket: PathBuf,
}

/// Asks, and prints the answer.
///
/// # Errors
/// If the helper can't be reached or does not finish.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let answer = helper::ask(&args.socket, &args.request)?;
    crate::output::print(&answer.text)?;
    match answer.code {
        0 => Ok(Exit::Done),
        code => std::process::exit(code.into()),
    }
}
