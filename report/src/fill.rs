//! Puts what a record and its summary say into the words of a [`Report`].

use crate::{
    again::run_again,
    cell::cell,
    coverage::UsualCoverage,
    culprits::Why,
    factors::compared,
    format::{measured, number},
    in_tree, lead, marks,
    method::method,
    model::{DifferingKnob, Gap, Group, HostSummary, Line, Memory, Report, SubjectSummary, Wire},
    utc::utc,
    verdict::Verdicts,
    words,
};
use shakedown_culprits::ComparisonExplanation;
use shakedown_protocol::{DriverRefusal, Flaw, KnobState, Meter, RunRecord, Trial, TrialOutcome};
use shakedown_summary::{Factor, Row, RunWarning, Summary};

impl Report {
    /// Says what a record and its summary say.
    pub fn new(record: &RunRecord, summary: &Summary) -> Self {
        let usual = UsualCoverage::of(summary);
        let mut groups = groups(summary, usual);
        let marks = marks::say_once(&mut groups);
        Self {
            id: record.id.clone(),
            shakedown: record.shakedown.clone(),
            started: utc(record.started_ms),
            finished: record.finish.is_some(),
            method: method(record),
            lead: lead::sentences(record, summary),
            families: lead::families(summary, usual),
            notes: in_tree::notes(record),
            not_built: record.plan.not_built.clone(),
            verdict: None,
            why: None,
            host: host(record),
            subjects: record.subjects.iter().enumerate().map(subject).collect(),
            coverage: usual.sentence(),
            groups,
            marks,
            memory: summary.memory.iter().map(|slope| memory(slope, usual)).collect(),
            wire: summary.wire.iter().map(wire).collect(),
            unsupported: record.unsupported.iter().map(unsupported).collect(),
            lost: record.trials.iter().filter_map(lost).collect(),
            warnings: warnings(record, summary),
            again: run_again(record),
        }
    }

    /// Says why it changed, too.
    pub fn with_explanation(mut self, explanation: &ComparisonExplanation) -> Self {
        self.why = Some(Why::new(explanation));
        self
    }

    /// Puts the verdict first, and says how a comparison goes instead of a run.
    pub fn with_verdict(mut self, verdict: Verdicts) -> Self {
        self.method.clone_from(&verdict.method);
        self.again.clone_from(&verdict.again);
        self.verdict = Some(verdict);
        self.lead.clear();
        self.families.clear();
        // The verdict says it in its own way.
        self.notes.clear();
        self.warnings.clear();
        // The verdict's own estimate is the only one of a change; a factor would be a second one.
        self.groups
            .iter_mut()
            .flat_map(|group| &mut group.lines)
            .for_each(|line| line.factors.clear());
        self
    }
}

/// The host in one sentence, and what else is wrong with the run.
fn warnings(record: &RunRecord, summary: &Summary) -> Vec<String> {
    let host = words::host(&record.host, words::ForWhat::Numbers);
    let of_host = |warning: &&RunWarning| {
        matches!(warning, RunWarning::HostNotTuned { .. } | RunWarning::VirtualMachine { .. })
    };
    let others = summary.warnings.iter().filter(|warning| !of_host(warning));
    host.into_iter().chain(others.map(words::run_warning)).collect()
}

fn host(record: &RunRecord) -> HostSummary {
    let host = &record.host;
    let virtualization = match host.virtualization.as_str() {
        "none" => "bare metal".to_owned(),
        other => format!("virtual machine ({other})"),
    };
    let off = host.knobs.iter().filter(|knob| knob.state == KnobState::Differs);
    HostSummary {
        line: format!(
            "{}, {} CPUs online, {virtualization}, {}, Linux {}",
            host.cpu.model, host.cpu.online, host.system, host.kernel
        ),
        epoch: host.epoch.id.clone(),
        off: off
            .map(|knob| DifferingKnob {
                name: knob.name.clone(),
                found: knob.found.clone().unwrap_or_default(),
                wanted: knob.wanted.clone().unwrap_or_default(),
            })
            .collect(),
    }
}

fn subject((place, entry): (usize, &shakedown_protocol::SubjectEntry)) -> SubjectSummary {
    let artifact = &entry.artifact;
    let source = &artifact.source;
    let revision = source.revision.as_ref().map_or_else(String::new, |id| format!(" at {id}"));
    SubjectSummary {
        name: entry.name.clone(),
        letter: letter(place),
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

/// `A` to `Z`, and numbers where these are not enough.
fn letter(place: usize) -> String {
    u8::try_from(place)
        .ok()
        .filter(|place| *place < 26)
        .map_or_else(|| (place + 1).to_string(), |place| char::from(b'A' + place).to_string())
}

/// Rows come one a subject; lines are over all subjects.
fn groups(summary: &Summary, usual: UsualCoverage) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for row in &summary.rows {
        let family = row.scenario.family().to_owned();
        let index = groups.iter().position(|group| group.family == family).unwrap_or_else(|| {
            groups.push(Group { title: in_tree::title(&family), family, lines: Vec::new() });
            groups.len() - 1
        });
        let lines = &mut groups[index].lines;
        let id = row.scenario.to_string();
        let same = |line: &Line| {
            line.scenario == id && line.side == row.side.name() && line.metric == row.metric.name()
        };
        let place = lines.iter().position(same).unwrap_or_else(|| {
            lines.push(line(row, summary, usual));
            lines.len() - 1
        });
        lines[place].cells.push(cell(row, usual));
    }
    groups
}

fn line(row: &Row, summary: &Summary, usual: UsualCoverage) -> Line {
    let of_line = |factor: &&Factor| {
        factor.scenario == row.scenario && factor.side == row.side && factor.metric == row.metric
    };
    let scenario = row.scenario.to_string();
    let (kind, parameters) = scenario.split_once('/').unwrap_or((&scenario, ""));
    Line {
        kind: kind.to_owned(),
        parameters: parameters.to_owned(),
        side: row.side.to_string(),
        metric: row.metric.to_string(),
        measured: measured(row.metric.name(), row.unit.name()),
        cells: Vec::new(),
        factors: summary
            .factors
            .iter()
            .filter(of_line)
            .map(|factor| compared(factor, usual))
            .collect(),
        scenario,
    }
}

fn memory(slope: &shakedown_summary::MemorySlope, usual: UsualCoverage) -> Memory {
    let sessions: Vec<String> = slope.sessions.iter().map(u32::to_string).collect();
    Memory {
        family: slope.family.clone(),
        subject: slope.subject.clone(),
        text: slope.bytes_per_session.map_or_else(|| "–".to_owned(), number),
        interval: usual.interval((slope.low, slope.high), slope.coverage, number),
        sessions: sessions.join(", "),
        warnings: slope.warnings.iter().map(words::warning).collect(),
    }
}

fn wire(facts: &shakedown_summary::WireFacts) -> Wire {
    let agreed = &facts.negotiated;
    let mut parts = vec![agreed.version.to_string(), agreed.cipher_suite_name.clone()];
    parts.extend(agreed.group.map(|group| group.to_string()));
    parts.extend(agreed.signature.clone());
    parts.push(if agreed.resumed { "resumed" } else { "full" }.to_owned());
    let direction = |sent: &shakedown_protocol::SentTraffic| {
        let records = words::plural(sent.records, "record", "records");
        let flights = words::plural(sent.flights, "flight", "flights");
        format!("{} B, {records}, {flights}", sent.bytes)
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

fn unsupported(what: &shakedown_protocol::Unsupported) -> Gap {
    Gap {
        subject: what.subject.clone(),
        scenario: what.scenario.to_string(),
        reason: what.reason.clone(),
    }
}

fn lost(trial: &Trial) -> Option<Gap> {
    let why = match &trial.outcome {
        TrialOutcome::Measured(_) | TrialOutcome::Refused(DriverRefusal::Unsupported(_)) => {
            return None;
        }
        TrialOutcome::Refused(DriverRefusal::Broken(why)) => format!("broken: {why}"),
        TrialOutcome::Refused(DriverRefusal::Failed(why)) => format!("failed: {why}"),
        TrialOutcome::Lost { reason, stderr } if stderr.is_empty() => format!("lost: {reason}"),
        TrialOutcome::Lost { reason, stderr } => format!("lost: {reason}; it said: {stderr}"),
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

#[cfg(test)]
mod tests {
    use super::*;
    use shakedown_protocol::fixture::comparison::comparison;

    #[test]
    fn a_comparison_says_how_it_was_measured() {
        let full = "handshake-full/tls1.3/aes256-gcm/x25519/ecdsa-p256";
        let record = comparison(&[(full, [1.0, 1.0])]);
        let policy = shakedown_gate::Policy::shipped().unwrap();
        let judgement = shakedown_gate::judge(&record, &policy).unwrap();
        let verdicts = Verdicts::new(&judgement, &record, None);
        let summary = shakedown_summary::summarize(&record);
        let run = Report::new(&record, &summary);
        assert!(run.method.contains("every subject runs each scenario once"), "{}", run.method);
        let compared = run.with_verdict(verdicts);
        for said in ["3 blocks (at most", "base, head, head, base", "relinks both binaries"] {
            assert!(compared.method.contains(said), "{said}: {}", compared.method);
        }
        assert!(!compared.method.contains("once"), "{}", compared.method);
    }
}
