//! `shakedown host sandbox` and `shakedown host serve`.

use crate::exit::Exit;
use crate::output::say;
use anyhow::{Context, Result};
use clap::ValueHint;
use shakedown_host::{
    client::{self, DiskUse, ServiceEnd},
    sandbox::{SANDBOX_SOCKET, SandboxRequest, build},
};
use std::{
    ffi::OsString,
    io::Write,
    os::{fd::AsFd, unix::process::ExitStatusExt},
    path::PathBuf,
    process::Command,
};

/// Build code that nobody has reviewed, apart from everything else on this host.
///
/// The fetch script reaches only the hosts in /etc/shakedown/sandbox.hosts, over HTTPS. The build
/// script has no network. Both run as a user of their own, within limits of memory, processes and
/// time. The build ends when this command ends.
#[derive(Debug, clap::Args)]
#[command(after_help = "Exits with the code of the script that failed.")]
pub(super) struct SandboxArgs {
    /// Folder to build; the scripts find a copy of it in $SOURCE, and start there
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    source: PathBuf,
    /// Folder for the contents of $OUT; must be empty or missing
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    /// MiB of the answer that are read at most, holes in files included
    #[arg(long, value_name = "N", default_value_t = 4096)]
    limit: u64,
    /// Shell script that downloads what the build needs, such as `cargo fetch --locked`
    #[arg(long, value_name = "COMMAND")]
    fetch: Option<String>,
    /// Shell script that builds, such as `cargo build --offline --release`
    #[arg(long, value_name = "COMMAND")]
    build: String,
    /// Socket of the sandbox
    #[arg(long, value_name = "FILE", default_value = SANDBOX_SOCKET, value_hint = ValueHint::FilePath)]
    socket: PathBuf,
}

/// Has the sandbox build something.
///
/// # Errors
/// If the sandbox can't be reached, or does not answer.
pub(super) fn sandbox(args: &SandboxArgs) -> Result<Exit> {
    let request = SandboxRequest {
        source: &args.source,
        out: &args.out,
        fetch: args.fetch.as_deref(),
        build: &args.build,
        limit: args.limit << 20,
    };
    let finished = build(&args.socket, &request)?;
    let mut out = std::io::stdout().lock();
    out.write_all(&finished.log).and_then(|()| out.flush()).context("can't print the log")?;
    match finished.code {
        0 => Ok(Exit::Done),
        code => std::process::exit(code.into()),
    }
}

/// Run a command for the client that is connected to standard input, and kill it when the client
/// closes the connection.
#[derive(Debug, clap::Args)]
pub(super) struct ServeArgs {
    /// Kill it also where the disk of this folder loses more than --room-limit
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    room: Option<PathBuf>,
    /// GiB, and millions of files, that the disk may lose
    #[arg(long, value_name = "N", default_value_t = 40)]
    room_limit: u64,
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Serves one client.
///
/// # Errors
/// If the command does not start.
pub(super) fn serve(args: &ServeArgs) -> Result<Exit> {
    let [program, arguments @ ..] = args.command.as_slice() else { unreachable!("clap wants one") };
    let mut command = Command::new(program);
    let disk = args.room.as_deref().map(DiskUse::since_now);
    let (bytes, files) = (args.room_limit << 30, args.room_limit * 1_000_000);
    let mut is_full = || disk.as_ref().is_some_and(|disk| disk.exceeds(bytes, files));
    let client = std::io::stdin();
    let end = client::serve(client.as_fd(), command.args(arguments), &mut is_full)
        .with_context(|| format!("can't run {}", program.display()))?;
    match end {
        ServiceEnd::ClientLeft => {
            say(format_args!("the client closed the connection: {} was killed", program.display()));
            Ok(Exit::Done)
        }
        ServiceEnd::DiskFull => {
            say(format_args!(
                "the disk lost more than the limit: {} was killed",
                program.display()
            ));
            Ok(Exit::Host)
        }
        ServiceEnd::Exit(status) => match status.code().or(status.signal().map(|n| 128 + n)) {
            Some(0) => Ok(Exit::Done),
            code => std::process::exit(code.unwrap_or(1)),
        },
    }
}
