//! A study's result: published against measured.

use crate::{AcceptedRange, ClaimVerdict, PublishedSource, StudyMode};
use serde::{Deserialize, Serialize};
use shakedown_protocol::Unit;
use shakedown_summary::{Absence, stats::Interval};

/// File of the verdicts in the folder of a study.
pub const VERDICTS_FILE: &str = "verdicts.json";

/// The host that a study was measured on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StudyHost {
    /// Host name.
    pub name: String,
    /// Name of its processor.
    pub cpu: String,
    /// CPUs that are online.
    pub cpus: u32,
    /// `none` on bare metal, otherwise what was recognised.
    pub virtualization: String,
    /// The state of the host as one id.
    pub epoch: String,
    /// Whether the host is fit for numbers that others may see.
    pub fit: bool,
}

/// A subject of a study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StudySubject {
    /// Id of the run.
    pub run: String,
    /// The subject, as the study names it.
    pub subject: String,
    /// What was built for it; `None` where nothing was.
    pub built: Option<String>,
    /// What was published, where the subject stands for another release.
    pub stands_for: Option<String>,
    /// Why it was not measured.
    pub missing: Option<String>,
}

/// Why there is no measured number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RowGap {
    /// This host or this catalog can't measure it.
    Here(String),
    /// It was not measured yet, or nothing came of it.
    Run(String),
    /// The trials of a subject have no value.
    Value {
        /// The subject.
        subject: String,
        /// Why.
        absence: Absence,
    },
}

impl RowGap {
    /// Whether measuring again on this host would change nothing.
    pub(crate) const fn lasts(&self) -> bool {
        matches!(self, Self::Here(_) | Self::Value { absence: Absence::Unsupported { .. }, .. })
    }
}

/// A row of a claim: a published number and a measured one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedRow {
    /// What it is about.
    pub what: String,
    /// The published number: a ratio, or a value in `unit`.
    pub published: Option<f64>,
    /// The published numbers as they were published.
    pub published_as: Vec<f64>,
    /// Unit of the numbers as they were published.
    pub published_unit: Option<String>,
    /// Unit of the measured number; `None` for a ratio.
    pub unit: Option<Unit>,
    /// The measured number: the median over the blocks.
    pub measured: Option<f64>,
    /// Lower end of its interval.
    pub low: Option<f64>,
    /// Upper end of its interval.
    pub high: Option<f64>,
    /// Probability that the interval covers the true median.
    pub coverage: Option<f64>,
    /// Whether both sides are counts that were the same in each block.
    pub exact: bool,
    /// Blocks.
    pub n: usize,
    /// What agrees with the claim.
    pub accepted: AcceptedRange,
    /// The verdict.
    pub verdict: ClaimVerdict,
    /// Why there is no number.
    pub gap: Option<RowGap>,
}

impl JudgedRow {
    pub(crate) fn set(&mut self, interval: &Interval) {
        self.measured = Some(interval.median);
        (self.low, self.high) = (Some(interval.low), Some(interval.high));
        self.coverage = Some(interval.coverage);
    }
}

/// A claim with its verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgedClaim {
    /// Number in the table of published claims.
    pub id: String,
    /// What it says.
    pub text: String,
    /// What of it was not published: a threshold, or the whole question.
    pub ours: Option<String>,
    /// The verdict: all rows at once.
    pub verdict: ClaimVerdict,
    /// Why it can't be measured here.
    pub why: Option<String>,
    /// Coverage that the interval of each row needs, so that all together have 95 %.
    pub confidence: f64,
    /// Its numbers.
    pub rows: Vec<JudgedRow>,
}

/// A study's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StudyJudgement {
    /// Name of the study.
    pub study: String,
    /// What it asks.
    pub question: String,
    /// How it was measured, as published.
    pub method: String,
    /// How this plan differs from that.
    pub differences: String,
    /// Where it was published.
    pub source: PublishedSource,
    /// Which form was measured.
    pub mode: StudyMode,
    /// Start of the first run, in milliseconds since 1970 UTC.
    pub started_ms: Option<u64>,
    /// The host.
    pub host: StudyHost,
    /// What was measured.
    pub subjects: Vec<StudySubject>,
    /// The claims.
    pub claims: Vec<JudgedClaim>,
}
