//! `shakedown completions`.

use super::Command;
use crate::exit::Exit;
use anyhow::Result;
use clap::CommandFactory;

/// Prints a completion script, for example: shakedown completions bash >
/// ~/.local/share/bash-completion/completions/shakedown
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Shell
    shell: clap_complete::Shell,
}

/// Prints the script.
///
/// # Errors
/// When nobody reads it.
pub fn run(args: Args) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Command::command(), "shakedown", &mut script);
    crate::output::print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}
