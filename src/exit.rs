//! How the command ends.

use shakedown_builder::BuildError;
use shakedown_gate::Consequence;
use std::process::ExitCode;

/// The documented exit codes. They never change their meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done; or the verdict is pass.
    Done = 0,
    /// Something regressed.
    Regressed = 1,
    /// Bad usage, bad input, or something that the machine lacks.
    Input = 2,
    /// A build failed. A run has measured the subjects that were built.
    Build = 3,
    /// The host is not fit.
    Host = 4,
    /// Inconclusive, where the policy says that this fails.
    Inconclusive = 5,
    /// A defect of ours: a panic.
    Defect = 70,
}

/// What `--help` says of the codes.
pub const TABLE: &str = "\
Exit codes:
  0   done, or the verdict is pass
  1   something regressed
  2   bad usage or bad input
  3   a build failed
  4   the host is not fit
  5   inconclusive, where the policy says that this fails
  70  a defect of shakedown itself";

impl From<Consequence> for Exit {
    fn from(consequence: Consequence) -> Self {
        match consequence {
            Consequence::None | Consequence::Report | Consequence::Warn => Self::Done,
            Consequence::FailInconclusive => Self::Inconclusive,
            Consequence::Fail => Self::Regressed,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// An expected failure with an exit code of its own.
#[derive(Debug, thiserror::Error)]
#[error("{why}")]
pub struct CommandError {
    exit: Exit,
    why: String,
}

impl CommandError {
    /// Ends the command with `exit`, saying `why`.
    pub fn new(exit: Exit, why: impl Into<String>) -> Self {
        Self { exit, why: why.into() }
    }

    /// Refuses what needs a Cargo feature that this build was made without.
    #[cfg(not(all(feature = "github", feature = "history", feature = "schema")))]
    pub fn left_out(feature: &str) -> Self {
        let why = format!(
            "this `shakedown` was built without the feature `{feature}`; \
             `cargo build --release --locked` builds all of it, as target/release/shakedown"
        );
        Self::new(Exit::Input, why)
    }
}

/// The exit code of an error that ends the command.
pub fn of_error(error: &anyhow::Error) -> Exit {
    let known = |cause: &(dyn std::error::Error + 'static)| {
        let build = cause
            .downcast_ref::<BuildError>()
            .map(|error| if error.is_bad_input() { Exit::Input } else { Exit::Build });
        build.or_else(|| cause.downcast_ref::<CommandError>().map(|failure| failure.exit))
    };
    error.chain().find_map(known).unwrap_or(Exit::Input)
}
