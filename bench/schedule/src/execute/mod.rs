//! One process, from its start to what it left behind.

mod command;
mod drain;
mod events;
mod instrument;
mod live;
mod probe;
mod process;

pub(crate) use events::{EventCounters, counts_instructions};
pub(crate) use instrument::{preloadable, valgrind};
pub(crate) use live::remove_abandoned;
pub use live::stop_trials;
pub(crate) use probe::HostFiles;
pub(crate) use process::Processes;

use shakedown_protocol::{Aslr, HostWatch};
use std::{collections::BTreeMap, path::Path, time::Duration};

/// A process to run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DriverCall<'a> {
    /// The driver.
    pub binary: &'a Path,
    /// `measure`, `describe` or `transcript`.
    pub verb: &'a str,
    /// For its standard input.
    pub input: &'a [u8],
    /// CPUs that it may run on; empty: as this process.
    pub cpus: &'a [u32],
    /// Layout randomisation.
    pub aslr: Aslr,
    /// Length of an environment variable that does nothing but move the stack.
    pub pad: u32,
    /// What the subject's build variants add to its environment.
    pub environment: &'a BTreeMap<String, String>,
    /// How long it may take.
    pub timeout: Duration,
    /// What it runs with.
    pub instrument: Instrument<'a>,
}

/// What a process runs with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Instrument<'a> {
    /// Nothing.
    None,
    /// A meter that stands in for functions of the C library, loaded before everything else.
    Preload(&'a Path),
    /// A tool of valgrind's.
    Valgrind {
        /// The program valgrind.
        program: &'a Path,
        /// The tool.
        tool: ValgrindTool,
    },
}

/// What valgrind is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValgrindTool {
    /// Callgrind: instructions, while the driver asks for them.
    Count,
    /// Callgrind: instructions by address, calls, and a model of caches and branches.
    Profile,
    /// DHAT: allocations by call stack.
    Heap,
}

/// How a process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Termination {
    /// With an exit code.
    Exited(i32),
    /// By a signal that was not ours.
    Signalled(i32),
    /// We killed it: it took too long.
    TimedOut,
    /// We killed it: it wrote more than any answer has.
    Flooded,
    /// It never began.
    NotStarted(String),
}

/// What is left of a process.
#[derive(Debug, Clone)]
pub(crate) struct Execution {
    /// Start, in milliseconds since 1970 UTC.
    pub started_ms: u64,
    /// What the host did meanwhile.
    pub watch: HostWatch,
    /// How it ended.
    pub ending: Termination,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// The end of what it wrote to standard error.
    pub stderr: String,
    /// Instructions of the client's end and the server's, where callgrind counted them.
    pub instructions: Option<[u64; 2]>,
    /// What a profiling tool wrote: callgrind's dumps of client and server, or DHAT's output.
    pub profiles: Vec<String>,
}

/// Runs jobs, several at the same time where several threads ask. A trait, so that order, saving and resuming
/// are tested without processes.
pub(crate) trait Executor: Sync {
    /// Runs `job` to its end, whatever end that is.
    fn execute(&self, job: &DriverCall<'_>) -> Execution;
}
