//! `shakedown host hold`.

use crate::{exit::Exit, held_host, host_lock::take};
use anyhow::{Context, Result};
use std::{
    ffi::OsString,
    os::unix::process::ExitStatusExt,
    process::{Command, ExitStatus},
};

/// Run a command the way `shakedown run` runs trials: alone on this host, on the isolated benchmark
/// CPUs if there are any, without deep idle states. Exits with the command's exit code.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Fail instead of waiting if another run has locked this host
    #[arg(long)]
    no_wait: bool,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Holds the host while the command runs.
///
/// # Errors
/// If somebody else has the host, the lock can't be used, or the command not be started.
pub(super) fn run(args: &Args) -> Result<Exit> {
    let lock = take(!args.no_wait)?;
    let quiet = held_host::hold();
    let [program, arguments @ ..] = args.command.as_slice() else { unreachable!("clap wants one") };
    let status = Command::new(program)
        .args(arguments)
        .status()
        .with_context(|| format!("can't start {}", program.display()))?;
    drop((quiet, lock));
    match code(status) {
        0 => Ok(Exit::Done),
        // The command's own exit code goes to the caller.
        code => std::process::exit(code),
    }
}

/// As a shell tells it: 128 and the signal.
fn code(status: ExitStatus) -> i32 {
    status.code().or_else(|| Some(128 + status.signal()?)).unwrap_or(1)
}
