//! A driver that was compiled, by whatever compiler.

use crate::{build_facts::CompileCost, probe::Surfaces};
use shakedown_protocol::CompilerSeen;
use std::path::PathBuf;

/// What is known of a driver that was compiled.
pub(crate) struct CompiledDriver {
    /// See [`Artifact::surfaces`](shakedown_protocol::Artifact::surfaces).
    pub(crate) surfaces: Surfaces,
    /// Options of every build by this compiler.
    pub(crate) flags: Vec<String>,
    /// Compilers that the binary names.
    pub(crate) compilers: Vec<CompilerSeen>,
    /// Its lockfile, in the folder that was filled.
    pub(crate) lockfile: PathBuf,
    /// See [`Artifact::rustc`](shakedown_protocol::Artifact::rustc).
    pub(crate) rustc: String,
    /// What compiling the measured program cost.
    pub(crate) cost: CompileCost,
}
