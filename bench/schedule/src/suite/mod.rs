//! Suites: what to measure, as people write it.

mod alternatives;
mod file;
mod matrix;
mod parse;
mod pinned;

use self::file::{hint, nearest};
use crate::random;
use globset::GlobBuilder;
use pinned::PinnedName;
use shakedown_protocol::{Aslr, Meter, RunPlan, Scenario, SuiteFile};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// A named list of scenarios with budgets, read from a TOML file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suite {
    /// Name, the same as its file's.
    pub name: String,
    /// The file that it was read from.
    pub file: SuiteFile,
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
    #[error("unknown suite `{name}`{}; known: {}", meant(.near), .known.join(", "))]
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
    /// The file is not the one that was asked for, or what was asked for is no digest.
    #[error("{0}")]
    Pin(String),
    /// A pattern that matches no scenario of the suite, or no pattern at all.
    #[error("{0}")]
    Only(String),
}

fn meant(near: &Option<String>) -> String {
    near.as_ref().map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

impl Suite {
    /// Reads the suite `name` from the folder `dir`; a name that ends in `.toml` is a file. With
    /// `@sha256:` and the first digits of a digest behind the name, a file with another digest is
    /// refused.
    ///
    /// # Errors
    /// [`SuiteError`], with file and line where the file is at fault.
    pub fn load(dir: &Path, name: &str) -> Result<Self, SuiteError> {
        let asked = PinnedName::parse(name)?;
        let name = asked.name;
        let own_file = Path::new(name).extension().is_some_and(|ending| ending == "toml");
        let path = if own_file {
            PathBuf::from(name)
        } else {
            let known = Self::names(dir)?;
            if !known.iter().any(|have| have == name) {
                let near = nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
                return Err(SuiteError::Unknown { name: name.to_owned(), near, known });
            }
            dir.join(format!("{name}.toml"))
        };
        let text = fs::read_to_string(&path)
            .map_err(|source| SuiteError::Read { path: path.clone(), source })?;
        asked.check(&path, &pinned::sha256(&text))?;
        let mut suite = Self::parse(&text, &path).map_err(|fault| SuiteError::Wrong {
            line: 1 + text[..fault.at.min(text.len())].matches('\n').count(),
            path,
            problem: fault.problem,
        })?;
        suite.file.path = own_file.then(|| name.to_owned());
        Ok(suite)
    }

    /// The names of the suites in `dir`, sorted.
    ///
    /// # Errors
    /// [`SuiteError::Read`].
    pub fn names(dir: &Path) -> Result<Vec<String>, SuiteError> {
        let failed = |source| SuiteError::Read { path: dir.to_owned(), source };
        let mut names = Vec::new();
        for entry in fs::read_dir(dir).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|ending| ending == "toml") {
                names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
            }
        }
        names.sort();
        Ok(names)
    }

    /// The suite as a plan.
    ///
    /// # Errors
    /// [`SuiteError::Only`] for a pattern that matches nothing.
    pub fn plan(&self, options: &PlanOptions) -> Result<RunPlan, SuiteError> {
        let blocks = options.blocks.unwrap_or(self.blocks);
        if blocks == 0 {
            return Err(SuiteError::Only("a run needs at least one block".to_owned()));
        }
        Ok(RunPlan {
            suite: self.name.clone(),
            suite_file: Some(self.file.clone()),
            paired: None,
            only: options.only.clone(),
            budget: None,
            counts: None,
            scenarios: self.only(&options.only)?,
            meters: self.meters.clone(),
            only_meters: Vec::new(),
            blocks,
            seed: options.seed.unwrap_or_else(random::seed),
            aslr: self.aslr,
            warm_up_ms: self.warm_up_ms,
            measure_ms: self.measure_ms,
            batch_ms: self.batch_ms,
            operations: self.operations,
            tickets: self.tickets,
            timeout_ms: self.timeout_ms,
            fallback: None,
            left_out: Vec::new(),
            not_built: Vec::new(),
            backfill: None,
        })
    }

    /// The scenarios that match one of `patterns`, in the suite's order.
    fn only(&self, patterns: &[String]) -> Result<Vec<Scenario>, SuiteError> {
        if patterns.is_empty() {
            return Ok(self.scenarios.clone());
        }
        let ids: Vec<String> = self.scenarios.iter().map(ToString::to_string).collect();
        let mut kept = vec![false; ids.len()];
        for pattern in patterns {
            let glob = GlobBuilder::new(pattern)
                .literal_separator(false)
                .build()
                .map_err(|error| SuiteError::Only(error.to_string()))?
                .compile_matcher();
            let mut found = false;
            for (id, keep) in ids.iter().zip(&mut kept) {
                if glob.is_match(id) {
                    (found, *keep) = (true, true);
                }
            }
            if !found {
                let near = hint(pattern, ids.iter().map(String::as_str));
                let name = &self.name;
                let text = format!("no scenario of suite `{name}` matches `{pattern}`{near}");
                return Err(SuiteError::Only(text));
            }
        }
        let all = self.scenarios.iter().zip(kept);
        Ok(all.filter(|(_, keep)| *keep).map(|(scenario, _)| *scenario).collect())
    }
}

#[cfg(test)]
mod tests;
