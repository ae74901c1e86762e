//! Imports measurements of other tools, completely or not at all. An unknown line is an error that
//! names it; none is skipped.

mod json;
mod openssl_bench;
mod rows;
mod rustls_bench;
mod values;

use crate::{Import, StoreError};
use std::path::PathBuf;

/// The format of the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportFormat {
    /// Text of rustls' `bench` example, one file a run.
    RustlsBench,
    /// Text of ctz's openssl-bench, one file a run.
    OpensslBench,
    /// Criterion's `estimates.json`, one file a benchmark.
    Criterion,
    /// Bencher Metric ImportFormat.
    Bencher,
    /// `data.js` or `data.json` of github-action-benchmark, or its custom input.
    GithubActionBenchmark,
}

impl ImportFormat {
    /// Every format.
    pub const ALL: [Self; 5] = [
        Self::RustlsBench,
        Self::OpensslBench,
        Self::Criterion,
        Self::Bencher,
        Self::GithubActionBenchmark,
    ];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RustlsBench => "rustls-bench",
            Self::OpensslBench => "openssl-bench",
            Self::Criterion => "criterion",
            Self::Bencher => "bencher",
            Self::GithubActionBenchmark => "github-action-benchmark",
        }
    }
}

crate::formats::by_name!(ImportFormat);

/// Facts that the files lack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportSource {
    /// What was measured, for example `openssl@3.2.0+gcc`.
    pub subject: String,
    /// Its revision, if known.
    pub revision: Option<String>,
    /// Time, in milliseconds since 1970 UTC; formats that contain times ignore it.
    pub started_ms: u64,
    /// Name of the host.
    pub host: String,
    /// Epoch of that host.
    pub epoch: String,
}

/// The result of reading.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Imported {
    /// One import for each moment in time.
    pub imports: Vec<Import>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Reads files, given as path and text. Several text files of one tool are several trials of
/// the same thing.
///
/// # Errors
/// Names the file and the unknown line.
pub fn read(
    format: ImportFormat,
    files: &[(PathBuf, String)],
    about: &ImportSource,
) -> Result<Imported, StoreError> {
    for name in [&about.subject, &about.host, &about.epoch].into_iter().chain(&about.revision) {
        rows::check_name(name).map_err(StoreError::Question)?;
    }
    match format {
        ImportFormat::RustlsBench => values::collect(format, files, about, rustls_bench::read),
        ImportFormat::OpensslBench => values::collect(format, files, about, openssl_bench::read),
        ImportFormat::Criterion => json::criterion(files, about),
        ImportFormat::Bencher => json::bencher(files, about),
        ImportFormat::GithubActionBenchmark => json::github_action_benchmark(files, about),
    }
}

#[cfg(test)]
mod tests;
