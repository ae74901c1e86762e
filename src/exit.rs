//! How the command ends.

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
    /// A build failed.
    Build = 3,
    /// The host is not fit.
    Host = 4,
    /// Inconclusive, where the policy says that this fails.
    Inconclusive = 5,
}

/// The code of a panic: a defect of ours.
pub const DEFECT: u8 = 70;

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

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The code for an error that ends the command.
pub fn code_of(error: &anyhow::Error) -> u8 {
    error
        .chain()
        .find_map(|cause| cause.downcast_ref::<build::BuildError>())
        .map_or(Exit::Input as u8, build::BuildError::exit_code)
}
