//! The run record: everything one invocation measured.

use crate::{
    Artifact, Backfill, Calibration, DriverInfo, Fallback, HostFacts, Incompatible, Meter,
    Scenario, Subject, SubjectVersion, Trial, TrialOutcome,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

mod upgrade;

/// Version of the record's layout. It grows when a reader of the older layout would
/// misunderstand the newer one; fields may be added without that.
pub const SCHEMA_VERSION: u32 = 2;

/// Address space layout randomisation of the driver processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Aslr {
    /// Each process gets another layout: many layouts are sampled.
    On,
    /// Every process gets the same layout.
    Off,
}

/// The plan of a run. A resumed run follows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunPlan {
    /// Name of the suite.
    pub suite: String,
    /// Scenarios, in order.
    pub scenarios: Vec<Scenario>,
    /// Instruments that each scenario is measured with.
    pub meters: Vec<Meter>,
    /// Rounds.
    pub blocks: u32,
    /// Seed of the order within blocks.
    pub seed: u64,
    /// Layout randomisation.
    pub aslr: Aslr,
    /// Warm-up of each trial, in milliseconds.
    pub warm_up_ms: u32,
    /// Measuring time of each trial, in milliseconds of the sides' own time.
    pub measure_ms: u32,
    /// Length of a batch, in milliseconds.
    pub batch_ms: u32,
    /// Operations under a counting meter.
    pub operations: u32,
    /// Tickets after a TLS 1.3 handshake.
    pub tickets: u8,
    /// A trial that takes longer than this is lost, in milliseconds.
    pub timeout_ms: u64,
    /// What was asked for, where the plan has in-tree benchmarks in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Fallback>,
    /// Subjects that were asked for and are not part of the run, as their drivers do not fit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<Incompatible>,
    /// The missed run that this run stands in for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backfill: Option<Backfill>,
}

impl RunPlan {
    /// Whether in-tree benchmarks measure. They never share a plan with drivers.
    pub fn in_tree(&self) -> bool {
        self.scenarios.iter().any(|scenario| scenario.in_tree)
    }

    /// The subjects that were asked for and whose drivers do not fit.
    pub fn incompatible(&self) -> impl Iterator<Item = &Incompatible> {
        let fallen_back = self.fallback.iter().flat_map(|fallback| &fallback.subjects);
        fallen_back.chain(&self.left_out)
    }
}

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
        if ours { followed(&self.asked, built).to_string() } else { self.name.clone() }
    }
}

/// The subject that a series is of: see [`RunRecord::followed_names`].
pub(crate) fn followed(asked: &Subject, resolved: &Subject) -> Subject {
    match (&asked.version, &resolved.version) {
        (SubjectVersion::Git { revision, .. }, SubjectVersion::Git { url, .. }) => {
            let version = SubjectVersion::Git { url: url.clone(), revision: revision.clone() };
            Subject { version, ..resolved.clone() }
        }
        _ => resolved.clone(),
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

/// Why a text is not a usable run record.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// Not JSON, or cut off.
    #[error(
        "the record is not complete JSON (line {line}, column {column}): {source}. If the run was killed, finish it with `shakedown run --resume DIR`"
    )]
    Syntax {
        /// Line, counted from 1.
        line: usize,
        /// Column, counted from 1.
        column: usize,
        /// What the parser says.
        source: serde_json::Error,
    },
    /// JSON, but no record.
    #[error("this is not a run record: it has no number `schema`")]
    NotARecord,
    /// Written by a newer program.
    #[error(
        "the record has schema {found}, this program reads up to {SCHEMA_VERSION}: update shakedown"
    )]
    TooNew {
        /// Schema of the record.
        found: u64,
    },
    /// Written in a layout that was never published.
    #[error(
        "the record has schema {found}; the oldest that exists is 1: the file is damaged or not ours"
    )]
    TooOld {
        /// Schema of the record.
        found: u64,
    },
    /// A field that is missing or has another type.
    #[error("the record does not fit schema {schema}: {source}")]
    Shape {
        /// Schema of the record.
        schema: u64,
        /// What does not fit.
        source: serde_json::Error,
    },
    /// Well-formed, but it can't be true.
    #[error("the record contradicts itself: {0}")]
    Contradiction(String),
}

impl RunRecord {
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

    /// Checks that the parts of the record fit each other. Records come from pull requests:
    /// nothing in them is believed until this has passed.
    ///
    /// # Errors
    /// Names the first contradiction.
    pub fn validate(&self) -> Result<(), RecordError> {
        let wrong = |text: String| Err(RecordError::Contradiction(text));
        let mut names = BTreeSet::new();
        for entry in &self.subjects {
            if !names.insert(entry.name.as_str()) {
                return wrong(format!("two subjects are named `{}`", entry.name));
            }
        }
        let scenarios: BTreeSet<&Scenario> = self.plan.scenarios.iter().collect();
        if self.plan.in_tree() && !scenarios.iter().all(|scenario| scenario.in_tree) {
            return wrong("in-tree benchmarks and drivers share a plan".to_owned());
        }
        if self.plan.fallback.is_some() && !self.plan.in_tree() {
            return wrong("it fell back to in-tree benchmarks and has none".to_owned());
        }
        let mut places = BTreeSet::new();
        for (index, trial) in self.trials.iter().enumerate() {
            if !names.contains(trial.subject.as_str()) {
                return wrong(format!("trial {index} is of unknown subject `{}`", trial.subject));
            }
            if !scenarios.contains(&trial.scenario) {
                return wrong(format!("trial {index} is of unplanned `{}`", trial.scenario));
            }
            if !places.insert((trial.block, trial.scenario, trial.meter, trial.position)) {
                return wrong(format!("trial {index} stands where another one stands"));
            }
            trial_contradiction(trial)
                .map_or(Ok(()), |text| wrong(format!("trial {index}: {text}")))?;
        }
        Ok(())
    }
}

/// Something in a trial that can't be true.
fn trial_contradiction(trial: &Trial) -> Option<String> {
    let TrialOutcome::Measured(measured) = &trial.outcome else { return None };
    if measured.scenario != trial.scenario {
        return Some(format!("the driver measured `{}` instead", measured.scenario));
    }
    let differences = measured.negotiated.differences(&trial.scenario);
    if !differences.is_empty() {
        let texts: Vec<String> = differences.iter().map(ToString::to_string).collect();
        return Some(texts.join("; "));
    }
    let wanted = trial.scenario.sides();
    let found: Vec<_> = measured.sides.iter().map(|result| result.side).collect();
    if found != wanted {
        return Some(format!("sides {found:?} instead of {wanted:?}"));
    }
    for result in &measured.sides {
        if result.samples.iter().any(|s| s.operations == 0 || s.nanoseconds == 0) {
            return Some(format!("a sample of {} is empty", result.side));
        }
        if result.samples.iter().any(|s| s.thread >= u64::from(trial.scenario.threads.get())) {
            return Some(format!(
                "a sample of {} is of a thread that was not asked for",
                result.side
            ));
        }
    }
    None
}
