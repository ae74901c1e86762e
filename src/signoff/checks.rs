//! What stands against a candidate. Each reason is named; none hides another.

use crate::exit::Exit;
use shakedown_gate::{Consequence, Judgement, JudgementWarning, Verdict};
use shakedown_protocol::{KnobState, RunRecord, Subject};
use shakedown_report::{
    signed_percent,
    signoff::{Blocker, BlockerKind, StackHistory},
    words,
};

/// The exit code of a check: that of the gravest reason.
pub fn exit(against: &[Blocker]) -> Exit {
    let order = [
        BlockerKind::Regressed,
        BlockerKind::Host,
        BlockerKind::Suspect,
        BlockerKind::Inconclusive,
        BlockerKind::Evidence,
    ];
    let gravest = order.into_iter().find(|kind| against.iter().any(|one| one.kind == *kind));
    gravest.map_or(Exit::Done, |kind| match kind {
        BlockerKind::Regressed => Exit::Regressed,
        BlockerKind::Host => Exit::Host,
        BlockerKind::Suspect | BlockerKind::Inconclusive | BlockerKind::Evidence => {
            Exit::Inconclusive
        }
    })
}

fn is(kind: BlockerKind, what: impl Into<String>) -> Blocker {
    Blocker { kind, what: what.into() }
}

/// Everything that stands against the candidate; nothing: it is fit for release.
pub fn against(
    record: &RunRecord,
    judgement: &Judgement,
    [baseline, candidate]: [&Subject; 2],
    past: &StackHistory,
) -> Vec<Blocker> {
    let mut all = Vec::new();
    compared(judgement, &mut all);
    host(record, &mut all);
    evidence(record, judgement, [baseline, candidate], &mut all);
    history(past, &mut all);
    all
}

/// What the comparison with the last release says.
fn compared(judgement: &Judgement, all: &mut Vec<Blocker>) {
    for found in &judgement.comparisons {
        let kind = match found.consequence {
            Consequence::Fail => BlockerKind::Regressed,
            Consequence::FailInconclusive => BlockerKind::Inconclusive,
            _ => continue,
        };
        let change = found.change.map_or_else(String::new, |c| format!(" {}", signed_percent(c)));
        let advice = match found.verdict {
            Verdict::Regressed => "fix it, or accept it in thresholds/accepted.toml",
            Verdict::Missing => "bring it back, or accept its absence in thresholds/accepted.toml",
            Verdict::Inconclusive => "measure on a quieter host, or longer",
            _ => "fix it",
        };
        // What regressed is called so already: that is its kind.
        let verdict = match found.verdict {
            Verdict::Regressed => String::new(),
            other => format!(" {}", words::verdict(other)),
        };
        let why = words::why(found);
        all.push(is(
            kind,
            format!(
                "{} {} {}:{verdict}{change}: {why}; {advice}",
                found.scenario, found.side, found.metric
            ),
        ));
    }
}

fn host(record: &RunRecord, all: &mut Vec<Blocker>) {
    let host = &record.host;
    if host.fit {
        return;
    }
    let off = host.knobs.iter().filter(|knob| knob.state == KnobState::Differs);
    let off: Vec<&str> = off.map(|knob| knob.name.as_str()).collect();
    let why = if off.is_empty() { String::new() } else { format!(" ({})", off.join(", ")) };
    let what = format!("the host {} was not fit{why}: see `shakedown host check`", host.name);
    all.push(is(BlockerKind::Host, what));
}

/// What the verdict must rest on.
fn evidence(
    record: &RunRecord,
    judgement: &Judgement,
    asked: [&Subject; 2],
    all: &mut Vec<Blocker>,
) {
    let mut lacks = |what: String| all.push(is(BlockerKind::Evidence, what));
    for ((role, wanted), entry) in
        ["baseline", "candidate"].into_iter().zip(asked).zip(&record.subjects)
    {
        let built = &entry.artifact;
        if *wanted != entry.asked && *wanted != built.subject {
            lacks(format!(
                "the record has {} where {role} {wanted} was asked for: measure that",
                entry.asked
            ));
        }
        if built.source.sha256.is_empty() || built.links.is_empty() {
            lacks(format!("{role}: source or binary has no digest"));
        }
        if built.links.len() < 2 {
            lacks(format!(
                "{role} was not relinked: an effect of code layout may look like a change"
            ));
        }
    }
    if judgement.same_code {
        lacks("baseline and candidate are the same code: nothing was compared".to_owned());
    }
    if record.finish.is_none() {
        lacks("the comparison was not finished: `shakedown compare --resume`".to_owned());
    }
    if !judgement.calibrated {
        lacks(words::judgement_warning(&JudgementWarning::NotCalibrated, true));
    }
    let judged = judgement
        .comparisons
        .iter()
        .any(|found| found.consequence != Consequence::None || found.verdict == Verdict::Pass);
    if !judged {
        lacks("nothing could be judged".to_owned());
    }
}

/// What the nights say of the candidate's stack.
fn history(past: &StackHistory, all: &mut Vec<Blocker>) {
    if past.runs == 0 {
        let what = "there is no history to check: give --history";
        all.push(is(BlockerKind::Evidence, what));
    }
    for suspect in &past.open {
        let what = format!(
            "open suspect {}: {}; `shakedown confirm` measures it again",
            suspect.id, suspect.what
        );
        all.push(is(BlockerKind::Suspect, what));
    }
    for change in &past.confirmed {
        let what =
            format!("confirmed regression {}: {}; not reversed since", change.id, change.what);
        all.push(is(BlockerKind::Regressed, what));
    }
}
