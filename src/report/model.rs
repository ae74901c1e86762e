//! Everything that a report says, in words and numbers that only have to be laid out.

use super::{
    format::{factor, interval, number, plain},
    verdict::Verdicts,
};
use crate::place::utc;
use gate::{Factor, Leaning, Row, State, Summary};
use protocol::{Aslr, Flaw, KnobState, Meter, Outcome, Refusal, RunRecord, Trial};
use serde::Serialize;

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
    /// What was decided, where it is a comparison that was judged.
    pub verdict: Option<Verdicts>,
    /// The machine.
    pub host: Host,
    /// What was measured; the first is what the others are compared with.
    pub subjects: Vec<Subject>,
    /// The numbers, a group a family of scenarios.
    pub groups: Vec<Group>,
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
pub struct Host {
    /// Processor, system and kernel.
    pub line: String,
    /// Epoch id.
    pub epoch: String,
    /// Whether it is fit for numbers that others may see.
    pub fit: bool,
    /// Knobs that are not as a quiet host has them.
    pub off: Vec<Knob>,
}

/// A knob that differs.
#[derive(Debug, Serialize)]
pub struct Knob {
    /// Name.
    pub name: String,
    /// What was found.
    pub found: String,
    /// What a quiet host has.
    pub wanted: String,
}

/// A subject, with its provenance.
#[derive(Debug, Serialize)]
pub struct Subject {
    /// Name in the run.
    pub name: String,
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
    /// One line a scenario, side and metric.
    pub lines: Vec<Line>,
}

/// One metric of one side of one scenario, over all subjects.
#[derive(Debug, Serialize)]
pub struct Line {
    /// Scenario id.
    pub scenario: String,
    /// Side.
    pub side: String,
    /// Metric.
    pub metric: String,
    /// Unit.
    pub unit: String,
    /// Which way is better.
    pub better: String,
    /// One a subject.
    pub cells: Vec<Cell>,
    /// Each further subject against the first.
    pub factors: Vec<Compared>,
}

/// A number with its spread.
#[derive(Debug, Serialize)]
pub struct Cell {
    /// Subject.
    pub subject: String,
    /// Median, or what stands there instead of it.
    pub text: String,
    /// Interval of the median; empty where there is none.
    pub interval: String,
    /// Trials.
    pub n: usize,
    /// Whether there is a number.
    pub measured: bool,
    /// What a reader must know.
    pub warnings: Vec<String>,
}

/// A factor with its interval.
#[derive(Debug, Serialize)]
pub struct Compared {
    /// Subject.
    pub subject: String,
    /// Factor, or `–`.
    pub text: String,
    /// Interval; empty where there is none.
    pub interval: String,
    /// `better`, `worse`, `same` or `unclear`.
    pub leaning: &'static str,
    /// Place of interval and factor on a bar from 0 to 100, where 50 is equal.
    pub bar: Option<Bar>,
}

/// Where a factor and its interval lie on a logarithmic bar from a quarter to four times.
#[derive(Debug, Serialize)]
pub struct Bar {
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

impl Report {
    /// Says what a record and its summary say.
    pub fn new(record: &RunRecord, summary: &Summary) -> Self {
        Self {
            id: record.id.clone(),
            shakedown: record.shakedown.clone(),
            started: utc(record.started_ms),
            finished: record.finish.is_some(),
            method: method(record),
            verdict: None,
            host: host(record),
            subjects: record.subjects.iter().map(subject).collect(),
            groups: groups(summary),
            memory: summary.memory.iter().map(memory).collect(),
            wire: summary.wire.iter().map(wire).collect(),
            unsupported: record.unsupported.iter().map(unsupported).collect(),
            lost: record.trials.iter().filter_map(lost).collect(),
            warnings: summary.warnings.clone(),
            again: again(record),
        }
    }
}

impl Report {
    /// Puts the verdict first, and says how a comparison goes instead of a run.
    pub fn with_verdict(mut self, verdict: Verdicts) -> Self {
        self.again = self.again.replacen("scripts/bench", "shakedown compare", 1);
        self.verdict = Some(verdict);
        self
    }
}

fn method(record: &RunRecord) -> String {
    let plan = &record.plan;
    let aslr = match plan.aslr {
        Aslr::On => "another memory layout for each process",
        Aslr::Off => "the same memory layout for each process",
    };
    format!(
        "Suite {}, {} blocks; in each, every subject runs each scenario once in a fresh process, in random order \
         (seed {}); {} ms of measuring after {} ms of warm-up, {aslr}. A number is the median over the processes \
         with its 95 % interval; a factor is the median over the blocks of the ratio within the block.",
        plan.suite, plan.blocks, plan.seed, plan.measure_ms, plan.warm_up_ms
    )
}

fn host(record: &RunRecord) -> Host {
    let host = &record.host;
    let virtualization = match host.virtualization.as_str() {
        "none" => "bare metal".to_owned(),
        other => format!("virtual machine ({other})"),
    };
    let off = host.knobs.iter().filter(|knob| knob.state == KnobState::Differs);
    Host {
        line: format!(
            "{}, {} CPUs online, {virtualization}, {}, Linux {}",
            host.cpu.model, host.cpu.online, host.system, host.kernel
        ),
        epoch: host.epoch.id.clone(),
        fit: host.fit,
        off: off
            .map(|knob| Knob {
                name: knob.name.clone(),
                found: knob.found.clone().unwrap_or_default(),
                wanted: knob.wanted.clone().unwrap_or_default(),
            })
            .collect(),
    }
}

fn subject(entry: &protocol::SubjectEntry) -> Subject {
    let artifact = &entry.artifact;
    let source = &artifact.source;
    let revision = source.revision.as_ref().map_or_else(String::new, |id| format!(" at {id}"));
    Subject {
        name: entry.name.clone(),
        library: entry.driver.library.clone(),
        source: format!("{} {}{revision}", source.kind, source.origin),
        source_sha256: source.sha256.clone(),
        compilers: artifact
            .compilers
            .iter()
            .map(|seen| format!("{} ({} objects)", seen.comment, seen.objects))
            .collect(),
        flags: artifact.flags.join(" "),
        binary_sha256: artifact.links.first().cloned().unwrap_or_default(),
        details: entry.driver.details.clone(),
    }
}

/// Rows come one a subject; lines are over all subjects.
fn groups(summary: &Summary) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for row in &summary.rows {
        let family = row.scenario.family().to_owned();
        let index = groups.iter().position(|group| group.family == family).unwrap_or_else(|| {
            groups.push(Group { family, lines: Vec::new() });
            groups.len() - 1
        });
        let lines = &mut groups[index].lines;
        let id = row.scenario.to_string();
        let same = |line: &Line| {
            line.scenario == id && line.side == row.side.name() && line.metric == row.metric.name()
        };
        let place = lines.iter().position(same).unwrap_or_else(|| {
            lines.push(line(row, summary));
            lines.len() - 1
        });
        lines[place].cells.push(cell(row));
    }
    groups
}

fn line(row: &Row, summary: &Summary) -> Line {
    let of_line = |factor: &&Factor| {
        factor.scenario == row.scenario && factor.side == row.side && factor.metric == row.metric
    };
    Line {
        scenario: row.scenario.to_string(),
        side: row.side.to_string(),
        metric: row.metric.to_string(),
        unit: row.unit.to_string(),
        better: row.better.to_string(),
        cells: Vec::new(),
        factors: summary.factors.iter().filter(of_line).map(compared).collect(),
    }
}

fn cell(row: &Row) -> Cell {
    let measured = row.state == State::Measured;
    let text = match (row.state, row.median) {
        (State::Measured, Some(median)) => number(median),
        (State::Unsupported, _) => "unsupported".to_owned(),
        (State::Broken, _) => "broken".to_owned(),
        (State::Lost, _) => "lost".to_owned(),
        _ => "–".to_owned(),
    };
    Cell {
        subject: row.subject.clone(),
        text,
        interval: both(row.low, row.high, number),
        n: row.n,
        measured,
        warnings: row.warnings.clone(),
    }
}

fn compared(one: &Factor) -> Compared {
    let bar = match (one.low, one.factor, one.high) {
        (Some(low), Some(middle), Some(high)) => {
            Some(Bar { low: place(low), middle: place(middle), high: place(high) })
        }
        _ => None,
    };
    Compared {
        subject: one.subject.clone(),
        text: one.factor.map_or_else(|| "–".to_owned(), factor),
        interval: both(one.low, one.high, factor),
        leaning: match one.leaning {
            Some(Leaning::Better) => "better",
            Some(Leaning::Worse) => "worse",
            Some(Leaning::Same) => "same",
            Some(Leaning::Unclear) | None => "unclear",
        },
        bar,
    }
}

/// A factor's place on a logarithmic bar from a quarter (0) over one (50) to four times (100).
fn place(factor: f64) -> f64 {
    let place = 50.0 + 25.0 * factor.log2();
    (place.clamp(0.0, 100.0) * 100.0).round() / 100.0
}

fn both(low: Option<f64>, high: Option<f64>, show: impl Fn(f64) -> String) -> String {
    match (low, high) {
        (Some(low), Some(high)) => interval(low, high, show),
        _ => String::new(),
    }
}

fn memory(slope: &gate::MemorySlope) -> Memory {
    let sessions: Vec<String> = slope.sessions.iter().map(u32::to_string).collect();
    Memory {
        family: slope.family.clone(),
        subject: slope.subject.clone(),
        text: slope.bytes_per_session.map_or_else(|| "–".to_owned(), number),
        interval: both(slope.low, slope.high, number),
        sessions: sessions.join(", "),
        warnings: slope.warnings.clone(),
    }
}

fn wire(facts: &gate::WireFacts) -> Wire {
    let agreed = &facts.negotiated;
    let mut parts = vec![agreed.version.to_string(), agreed.suite_name.clone()];
    parts.extend(agreed.group.map(|group| group.to_string()));
    parts.extend(agreed.signature.clone());
    parts.push(if agreed.resumed { "resumed" } else { "full" }.to_owned());
    let direction = |sent: &protocol::Direction| {
        format!("{} B, {} records, {} flights", sent.bytes, sent.records, sent.flights)
    };
    Wire {
        scenario: facts.scenario.to_string(),
        subject: facts.subject.clone(),
        negotiated: parts.join(", "),
        client: direction(&facts.wire.client),
        server: direction(&facts.wire.server),
        checked: facts.checked,
    }
}

fn unsupported(what: &protocol::Unsupported) -> Gap {
    Gap {
        subject: what.subject.clone(),
        scenario: what.scenario.to_string(),
        reason: what.reason.clone(),
    }
}

fn lost(trial: &Trial) -> Option<Gap> {
    let why = match &trial.outcome {
        Outcome::Measured(_) | Outcome::Refused(Refusal::Unsupported(_)) => return None,
        Outcome::Refused(Refusal::Broken(why)) => format!("broken: {why}"),
        Outcome::Refused(Refusal::Failed(why)) => format!("failed: {why}"),
        Outcome::Lost { reason, stderr } if stderr.is_empty() => format!("lost: {reason}"),
        Outcome::Lost { reason, stderr } => format!("lost: {reason}; it said: {stderr}"),
    };
    let flaws: Vec<&str> = trial.flaws.iter().map(|flaw: &Flaw| flaw.name()).collect();
    let flaws = if flaws.is_empty() { String::new() } else { format!(" ({})", flaws.join(", ")) };
    let meter =
        if trial.meter == Meter::Time { String::new() } else { format!(" [{:?}]", trial.meter) };
    Some(Gap {
        subject: trial.subject.clone(),
        scenario: format!("{}{meter}, block {}", trial.scenario, trial.block + 1),
        reason: format!("{why}{flaws}"),
    })
}

/// A text as one word of a shell: whoever copies the command must not run what a name holds.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "@:+._/-=#,%".contains(c);
    if !text.is_empty() && !text.starts_with('#') && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn again(record: &RunRecord) -> String {
    let subjects: Vec<String> =
        record.subjects.iter().map(|entry| word(&entry.artifact.subject.to_string())).collect();
    let command = format!(
        "scripts/bench --suite {} --blocks {} --seed {} {}",
        word(&record.plan.suite),
        record.plan.blocks,
        record.plan.seed,
        subjects.join(" ")
    );
    // It stands in a code block, which a line break would end.
    plain(&command)
}
