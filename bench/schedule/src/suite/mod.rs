//! Suites: what to measure, as people write it.

use protocol::{Aslr, Meter, Plan, Scenario};
use std::{
    io,
    path::{Path, PathBuf},
};

/// A named list of scenarios with budgets, read from a TOML file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suite {
    /// Name, the same as its file's.
    pub name: String,
    /// What it is for, in one line.
    pub description: String,
    /// Scenarios, in order of the file.
    pub scenarios: Vec<Scenario>,
    /// Instruments.
    pub meters: Vec<Meter>,
    /// Rounds.
    pub blocks: u32,
    /// Layout randomisation of the driver processes.
    pub aslr: Aslr,
    /// Tickets that servers send after a TLS 1.3 handshake.
    pub tickets: u8,
    /// Warm-up of each trial, in milliseconds.
    pub warm_up_ms: u32,
    /// Measuring time of each trial, in milliseconds of the sides' own time.
    pub measure_ms: u32,
    /// Length of a batch, in milliseconds.
    pub batch_ms: u32,
    /// Operations under a counting meter.
    pub operations: u32,
    /// A trial that takes longer is lost, in milliseconds.
    pub timeout_ms: u64,
}

/// What may be changed when a suite becomes a plan.
#[derive(Debug, Clone, Default)]
pub struct PlanOptions {
    /// Seed of the order; random when `None`.
    pub seed: Option<u64>,
    /// Rounds, instead of the suite's.
    pub blocks: Option<u32>,
    /// Only the scenarios whose ids match one of these globs (`*` crosses `/`); all when empty.
    pub only: Vec<String>,
}

/// Why there is no suite, or no plan.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// No file of that name.
    #[error("unknown suite `{name}`{}; known: {}", hint(.near), .known.join(", "))]
    Unknown {
        /// The name asked for.
        name: String,
        /// The known name nearest to it.
        near: Option<String>,
        /// Every known name.
        known: Vec<String>,
    },
    /// The file can't be read.
    #[error("can't read {}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// Something in the file is wrong.
    #[error("{}:{line}: {problem}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What is wrong, and what would be right.
        problem: String,
    },
    /// A pattern that matches no scenario of the suite, or no pattern at all.
    #[error("{0}")]
    Only(String),
}

fn hint(name: &Option<String>) -> String {
    name.as_ref().map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

impl Suite {
    /// Reads the suite `name` from the folder `dir`; a name that ends in `.toml` is a file.
    ///
    /// # Errors
    /// [`SuiteError`], with file and line where the file is at fault.
    pub fn load(dir: &Path, name: &str) -> Result<Self, SuiteError> {
        let _ = (dir, name);
        todo!()
    }

    /// The names of the suites in `dir`, sorted.
    ///
    /// # Errors
    /// [`SuiteError::Read`].
    pub fn names(dir: &Path) -> Result<Vec<String>, SuiteError> {
        let _ = dir;
        todo!()
    }

    /// The suite as a plan.
    ///
    /// # Errors
    /// [`SuiteError::Only`] for a pattern that matches nothing.
    pub fn plan(&self, options: &PlanOptions) -> Result<Plan, SuiteError> {
        let _ = options;
        todo!()
    }
}
