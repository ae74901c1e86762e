//! Everything that a report says, in words and numbers that only have to be laid out.

use crate::{culprits::Why, verdict::Verdicts};
use serde::Serialize;
use shakedown_protocol::FailedBuild;

/// A report of one run.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Id of the run.
    pub id: String,
    /// Version of the program that measured.
    pub shakedown: String,
    /// Start, UTC.
    pub started: String,
    /// Whether the run is whole.
    pub finished: bool,
    /// How it was measured, in one sentence.
    pub method: String,
    /// The result in a sentence for each further subject; nothing for a comparison, whose verdict
    /// says it.
    pub lead: Vec<String>,
    /// The geometric mean of each family.
    pub families: Vec<FamilyMean>,
    /// What a reader must know first.
    pub notes: Vec<String>,
    /// Subjects that were asked for and did not build.
    pub not_built: Vec<FailedBuild>,
    /// What was decided, where it is a comparison that was judged.
    pub verdict: Option<Verdicts>,
    /// Why it changed, where that was looked into.
    pub why: Option<Why>,
    /// The machine.
    pub host: HostSummary,
    /// What was measured; the first is what the others are compared with.
    pub subjects: Vec<SubjectSummary>,
    /// With which probability an interval covers the true median, where it does not say otherwise;
    /// empty without any interval.
    pub coverage: String,
    /// The numbers, a group a family of scenarios.
    pub groups: Vec<Group>,
    /// What is said once of the warnings of most numbers, in place of a mark on each.
    pub marks: Option<String>,
    /// Memory of one more session.
    pub memory: Vec<Memory>,
    /// What crossed the wire.
    pub wire: Vec<Wire>,
    /// What could not be measured, and why.
    pub unsupported: Vec<Gap>,
    /// Trials that gave no number.
    pub lost: Vec<Gap>,
    /// What a reader must know, of the run as a whole.
    pub warnings: Vec<String>,
    /// A command that measures the same again.
    pub again: String,
}

/// The machine.
#[derive(Debug, Serialize)]
pub struct HostSummary {
    /// Processor, system and kernel.
    pub line: String,
    /// Epoch id.
    pub epoch: String,
    /// Knobs that are not as a quiet host has them.
    pub off: Vec<DifferingKnob>,
}

/// A knob that differs.
#[derive(Debug, Serialize)]
pub struct DifferingKnob {
    /// Name.
    pub name: String,
    /// What was found.
    pub found: String,
    /// What a quiet host has.
    pub wanted: String,
}

/// A subject, with its provenance.
#[derive(Debug, Serialize)]
pub struct SubjectSummary {
    /// Name in the run.
    pub name: String,
    /// What stands for the name above a narrow column.
    pub letter: String,
    /// What the library says of itself.
    pub library: String,
    /// Where its code came from.
    pub source: String,
    /// SHA-256 of the source.
    pub source_sha256: String,
    /// Compilers found in the objects.
    pub compilers: Vec<String>,
    /// How it was built.
    pub flags: String,
    /// SHA-256 of the binary that ran.
    pub binary_sha256: String,
    /// What else the driver says.
    pub details: Vec<String>,
}

/// Scenarios of one family.
#[derive(Debug, Serialize)]
pub struct Group {
    /// Family, as in the ids.
    pub family: String,
    /// The same for people.
    pub title: String,
    /// One line a scenario, side and metric.
    pub lines: Vec<Line>,
}

/// One metric of one side of one scenario, over all subjects.
#[derive(Debug, Serialize)]
pub struct Line {
    /// Scenario id.
    pub scenario: String,
    /// Its first part: the whole is too long for a column.
    pub kind: String,
    /// Its other parts.
    pub parameters: String,
    /// Side.
    pub side: String,
    /// Metric.
    pub metric: String,
    /// Metric and unit, as short as they can be said: `handshakes/s`, `wire-bytes, B/op`.
    pub measured: String,
    /// One a subject.
    pub cells: Vec<Cell>,
    /// Each further subject against the first.
    pub factors: Vec<FactorCell>,
}

/// The geometric mean of a family, over all subjects.
#[derive(Debug, Serialize)]
pub struct FamilyMean {
    /// Family.
    pub family: String,
    /// Metric and unit.
    pub measured: String,
    /// Scenario sides that it is the mean of.
    pub sides: usize,
    /// Each further subject against the first.
    pub factors: Vec<FactorCell>,
}

/// A number with its spread.
#[derive(Debug, Serialize)]
pub struct Cell {
    /// Subject.
    pub subject: String,
    /// Median, or what stands there instead of it.
    pub text: String,
    /// Interval of the median, with its coverage where that is not the report's; empty where there
    /// is none.
    pub interval: String,
    /// Trials.
    pub n: usize,
    /// Whether there is a number.
    pub measured: bool,
    /// Whether it is of times, not counts.
    pub timed: bool,
    /// What a reader must know.
    pub warnings: Vec<String>,
    /// Whether a mark beside the number points to its warnings.
    pub marked: bool,
}

/// A factor with its interval.
#[derive(Debug, Serialize)]
pub struct FactorCell {
    /// Subject.
    pub subject: String,
    /// Factor with `×`, or `–`.
    pub text: String,
    /// Ends of its interval; empty where there is none.
    pub interval: String,
    /// `better`, `worse`, `same` or `unclear`.
    pub direction: &'static str,
    /// Place of interval and factor on a bar from 0 to 100, where 50 is equal.
    pub bar: Option<FactorPosition>,
}

/// Where a factor and its interval lie on a logarithmic bar from a quarter to four times.
#[derive(Debug, Serialize)]
pub struct FactorPosition {
    /// Lower end, in percent of the bar.
    pub low: f64,
    /// The factor.
    pub middle: f64,
    /// Upper end.
    pub high: f64,
}

/// Memory of one more session.
#[derive(Debug, Serialize)]
pub struct Memory {
    /// Scenario without its number of sessions.
    pub family: String,
    /// Subject.
    pub subject: String,
    /// Bytes per session, or `–`.
    pub text: String,
    /// Interval.
    pub interval: String,
    /// Numbers of sessions that it was found from.
    pub sessions: String,
    /// What a reader must know.
    pub warnings: Vec<String>,
}

/// What crossed the wire in one operation.
#[derive(Debug, Serialize)]
pub struct Wire {
    /// Scenario.
    pub scenario: String,
    /// Subject.
    pub subject: String,
    /// What was agreed on, in one line.
    pub negotiated: String,
    /// Bytes, records and flights of the client.
    pub client: String,
    /// The same of the server.
    pub server: String,
    /// Connections that were checked.
    pub checked: u64,
}

/// Something that has no number.
#[derive(Debug, Serialize)]
pub struct Gap {
    /// Subject.
    pub subject: String,
    /// Scenario.
    pub scenario: String,
    /// Why.
    pub reason: String,
}
