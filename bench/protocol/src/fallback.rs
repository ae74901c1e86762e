//! What a run does about subjects that do not build, or whose driver does not fit them.

use crate::{Scenario, Subject};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What of a driver does not fit a revision of its library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Misfit {
    /// No variant of the named surface compiles, or several do.
    Surface(String),
    /// Each surface has its variant, but driver or library do not compile.
    Compile,
    /// The first connections of this scenario were not what they were asked to be.
    Facts(Scenario),
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Surface(name) => write!(f, "surface `{name}`"),
            Self::Compile => f.write_str("it does not compile"),
            Self::Facts(scenario) => write!(f, "facts of {scenario}"),
        }
    }
}

/// A subject that its driver does not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Incompatible {
    /// The subject, as asked for.
    pub subject: Subject,
    /// The subject, with its version resolved.
    pub resolved: Subject,
    /// Full commit id, where the source has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// What does not fit.
    pub misfit: Misfit,
    /// The first error, on one line.
    pub error: String,
}

impl Incompatible {
    /// Name of the series that the subject's numbers would have been added to.
    pub fn followed_name(&self) -> String {
        self.subject.followed(&self.resolved).to_string()
    }
}

/// A subject that did not build. The others were measured without it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FailedBuild {
    /// The subject, as asked for.
    pub subject: Subject,
    /// What failed.
    pub error: String,
    /// The last lines of the build's log.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub last_lines: Vec<String>,
    /// Path of the whole log, on the host that built.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
}

/// What was asked for where in-tree benchmarks were measured instead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fallback {
    /// Suite that was asked for.
    pub suite: String,
    /// Globs over scenario ids that were asked for; empty: all of the suite.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// The subjects that made the run fall back.
    pub subjects: Vec<Incompatible>,
}

/// A run that could not measure a subject with its driver. A later run measures the same
/// revision in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Backfill {
    /// Name of the missed run in the history.
    pub run: String,
    /// Start of the missed run, in milliseconds since 1970 UTC. In a series, the numbers of the
    /// later run stand at this time.
    pub started_ms: u64,
}
