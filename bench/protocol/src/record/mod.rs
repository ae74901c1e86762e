//! The run record: everything one invocation measured.

mod error;
mod plan;
mod upgrade;
mod validate;

pub use error::RecordError;
pub use plan::{Aslr, ComparisonBudget, CountTiming, RunPlan, SuiteFile};

use crate::{Artifact, Calibration, DriverInfo, HostFacts, Meter, Scenario, Subject, Trial};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Version of the record's layout. It grows when a reader of the older layout would
/// misunderstand the newer one; fields may be added without that.
pub const SCHEMA_VERSION: u32 = 2;

/// One subject of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SubjectEntry {
    /// Unique name within the run; trials refer to it.
    pub name: String,
    /// The subject, as asked for.
    pub asked: Subject,
    /// What was built for it.
    pub artifact: Artifact,
    /// What the driver says of itself.
    pub driver: DriverInfo,
}

impl SubjectEntry {
    /// See [`RunRecord::followed_names`].
    fn followed_name(&self) -> String {
        let built = &self.artifact.subject;
        // Only the number that tells an A/A apart may stand behind it; anything else was not
        // written by us and stays as it is.
        let number = self.name.strip_prefix(&built.to_string());
        let ours = number.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'));
        if ours { self.asked.followed(built).to_string() } else { self.name.clone() }
    }
}

/// A scenario that a subject can't do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Unsupported {
    /// Name of the subject's entry.
    pub subject: String,
    /// The scenario.
    pub scenario: Scenario,
    /// The instrument under which it can't; `None`: under none of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meter: Option<Meter>,
    /// Why, in one line.
    pub reason: String,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunCompletion {
    /// End, in milliseconds since 1970 UTC.
    pub at_ms: u64,
    /// Trials that the plan had, the unsupported ones left out.
    pub planned: u64,
}

/// Everything one invocation measured: raw trials first; whatever is summed up is derived.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunRecord {
    /// [`SCHEMA_VERSION`] of the writer.
    pub schema: u32,
    /// Unique id: time and random part.
    pub id: String,
    /// Version of Shakedown.
    pub shakedown: String,
    /// Start, in milliseconds since 1970 UTC.
    pub started_ms: u64,
    /// The machine.
    pub host: HostFacts,
    /// What was planned.
    pub plan: RunPlan,
    /// What was under test.
    pub subjects: Vec<SubjectEntry>,
    /// What could not be measured, and why.
    pub unsupported: Vec<Unsupported>,
    /// What was measured, in order of execution.
    pub trials: Vec<Trial>,
    /// Noise of the host that verdicts on this run are based on, so that judging it again
    /// gives the same answer; `None` where none was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<Calibration>,
    /// `None` while the run lasts, or when it was killed.
    pub finish: Option<RunCompletion>,
}

impl RunRecord {
    /// Whether this is a comparison, which measures base and head in pairs, and not a plain run. The trials
    /// of an older record tell it: a comparison measures in groups of four, so that a subject has
    /// several trials of a cell in one block, where a plain run has one.
    pub fn is_paired(&self) -> bool {
        self.plan.paired.unwrap_or_else(|| {
            let mut seen = BTreeSet::new();
            let places = self
                .trials
                .iter()
                .map(|trial| (&trial.subject, trial.scenario, trial.meter, trial.block));
            places.into_iter().any(|place| !seen.insert(place))
        })
    }

    /// The name of each subject's series in the history, in the order of [`RunRecord::subjects`].
    /// A moving version keeps the requested name (`rustls@git:HEAD` is another commit each night).
    /// A fixed version uses the resolved name (`openssl@3.5` becomes `openssl@3.5.5`). Duplicates
    /// get a number.
    pub fn followed_names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::with_capacity(self.subjects.len());
        for entry in &self.subjects {
            let name = entry.followed_name();
            let taken = |name: &String| names.contains(name);
            let again = (2..).map(|n| format!("{name}#{n}"));
            let free = std::iter::once(name.clone()).chain(again).find(|name| !taken(name));
            names.push(free.unwrap_or(name));
        }
        names
    }

    /// Reads a record of this or an older schema.
    ///
    /// # Errors
    /// Says which of: cut off, not a record, too new, wrong shape, contradictory.
    pub fn from_json(text: &str) -> Result<Self, RecordError> {
        let mut value: serde_json::Value = serde_json::from_str(text).map_err(|source| {
            RecordError::Syntax { line: source.line(), column: source.column(), source }
        })?;
        let found = value.get("schema").and_then(serde_json::Value::as_u64);
        let schema = found.ok_or(RecordError::NotARecord)?;
        match schema {
            0 => return Err(RecordError::TooOld { found: schema }),
            1 => upgrade::from_1(&mut value),
            2 => {}
            _ => return Err(RecordError::TooNew { found: schema }),
        }
        let record: Self = serde_json::from_value(value)
            .map_err(|source| RecordError::Shape { schema, source })?;
        record.validate()?;
        Ok(record)
    }

    /// The JSON Schema of the current layout.
    #[cfg(feature = "schema")]
    pub fn json_schema() -> schemars::Schema {
        schemars::schema_for!(RunRecord)
    }
}
