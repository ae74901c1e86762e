//! The `shakedown` command: one file a subcommand under `command`, and beside it what several
//! subcommands share. Only this file imports from `command`.

#![cfg_attr(
    not(all(feature = "github", feature = "history", feature = "schema")),
    allow(dead_code, reason = "subcommands that are left out would use it")
)]

#[cfg(feature = "github")]
mod adopt;
#[cfg(feature = "history")]
mod backfill;
mod bisect;
mod catalog;
mod clock;
mod command;
#[cfg(feature = "history")]
mod confirm;
mod exit;
mod explain;
#[cfg(feature = "github")]
mod fleet;
#[cfg(feature = "github")]
mod github;
mod held_host;
mod history;
mod host_lock;
mod host_options;
mod host_text;
mod output;
mod policies;
mod progress;
mod project;
mod record;
#[cfg(feature = "github")]
mod runner_update;
mod session;
#[cfg(feature = "history")]
mod signoff;
mod study;
mod verdict;

use clap::Parser;
use output::{causes, say};
use std::{io::Write, process::ExitCode};

fn main() -> ExitCode {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        default(panic);
        say(format_args!(
            "this is a defect of shakedown {}; please report it with the lines above",
            env!("CARGO_PKG_VERSION")
        ));
        std::process::exit(exit::Exit::Defect as i32);
    }));
    let command = command::Command::parse();
    match command.run() {
        Ok(exit) => exit.into(),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(
                std::io::stderr(),
                "error: {}",
                shakedown_report::plain_lines(&causes(&error))
            );
            exit::of_error(&error).into()
        }
    }
}

/// The reader of the output has closed the pipe (`shakedown ... | head`).
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    /// Names of arguments that clash panic only when their subcommand runs.
    #[test]
    fn the_arguments_of_every_subcommand_fit_together() {
        super::command::Command::command().debug_assert();
    }
}
