//! The bisection, from one decision to the next.

use super::{
    measure::{Bench, BisectSession, PairOutcome},
    record::{
        BisectQuestion, BisectRecord, BisectRequest, BisectedRevision, LocatedCommit,
        RevisionResult,
    },
    text::{level, short},
};
use crate::{
    exit::{CommandError, Exit},
    output::say,
    project::ProjectRoot,
    session::{SubjectBuilder, comparison::MeasuredComparison},
};
use anyhow::{Result, bail};
use shakedown_bisect::{
    BisectFindings, BisectStep, CommitGraph, SearchRule, next_step, steps_left,
};
use shakedown_protocol::Meter;
use shakedown_report::{plain, signed_percent, word, words};
use shakedown_summary::series;
use std::{path::Path, time::Instant};

/// Finds what changed the number. `begun` is the record of a bisection that was killed.
///
/// # Errors
/// Revisions that are not known, ends that do not build or do not differ, and those of `compare`.
pub fn bisect(
    root: &ProjectRoot,
    request: BisectRequest,
    begun: Option<BisectRecord>,
    session: &BisectSession<'_>,
) -> Result<BisectRecord> {
    let mut record = match begun {
        Some(record) => record,
        None => begin(root, request, session.out)?,
    };
    let request = record.request.clone();
    let bench = Bench { root, session, request: &request };
    let question = match record.question.clone() {
        Some(question) => question,
        None => ends(&bench, &mut record)?,
    };
    let graph = CommitGraph::new(&record.nodes(), &record.good.id, &record.bad)?;
    let rule = SearchRule { least: question.least, stretch: request.stretch };
    let findings = loop {
        match next_step(&graph, &record.observations(), &rule) {
            BisectStep::Measure(_) if session.end.is_some_and(|end| Instant::now() >= end) => {
                say(format_args!("the time is used up; to go on: {}", session.resume));
                return Ok(record);
            }
            BisectStep::Measure(id) => {
                let left = steps_left(&graph, &record.observations(), &rule);
                look_at(&bench, &mut record, &question, &id, left)?;
            }
            BisectStep::Done(findings) => break findings,
            BisectStep::SameEnds => bail!(no_difference(&[])),
            BisectStep::Unmeasurable(id) => {
                let why = format!("the number of {id} is too uncertain, or it has none");
                return Err(CommandError::new(Exit::Inconclusive, why).into());
            }
        }
    };
    confirm(&bench, &mut record, &question, &findings)?;
    record.findings = Some(findings);
    record.save(session.out)?;
    Ok(record)
}

fn begin(root: &ProjectRoot, request: BisectRequest, out: &Path) -> Result<BisectRecord> {
    if BisectRecord::path(out).exists() {
        bail!("{} holds a bisection already: go on with --resume", out.display());
    }
    let range = request.range(&SubjectBuilder::open(root)?)?;
    if !range.is_ancestor {
        say(format_args!(
            "{} is not an ancestor of {}: searching from {}, where they parted",
            request.good, request.bad, range.good.id
        ));
    }
    let record = BisectRecord::new(request, range.good, range.commits);
    record.save(out)?;
    Ok(record)
}

fn no_difference(numbers: &[String]) -> CommandError {
    let why = format!(
        "good and bad do not differ, so there is nothing to search for\n{}",
        numbers.join("\n")
    );
    CommandError::new(Exit::Inconclusive, why)
}

/// Compares the ends: counts first, times where no count differs or one was asked for.
fn ends(bench: &Bench<'_>, record: &mut BisectRecord) -> Result<BisectQuestion> {
    let pair = [record.good.id.clone(), record.bad.clone()];
    let pair = [&*pair[0], &*pair[1]];
    let counts = vec![Meter::Instructions, Meter::Heap];
    let tries = match bench.request.metric.map(series::meter) {
        Some(Meter::Time) => vec![("ends-times", vec![Meter::Time])],
        Some(meter) => vec![("ends-counts", vec![meter])],
        None => vec![("ends-counts", counts), ("ends-times", vec![Meter::Time])],
    };
    let mut numbers = Vec::new();
    for (folder, meters) in tries {
        let compared = match bench.compare(pair, &meters, folder)? {
            PairOutcome::Compared(compared) => compared,
            PairOutcome::DoesNotBuild(why) => {
                let why = format!("good and bad must build: {why}");
                return Err(CommandError::new(Exit::Build, why).into());
            }
        };
        numbers.extend(bench.request.numbers(&compared));
        let Some(question) = bench.request.question(&compared) else { continue };
        let folder = bench.folder(&compared);
        let differences = differences(&compared);
        for (id, result) in
            [(pair[0], question.base(&compared)), (pair[1], question.head(&compared))]
        {
            let (folder, differences) = (folder.clone(), differences.clone());
            record.looked_at.push(BisectedRevision {
                id: id.to_owned(),
                result,
                folder,
                differences,
            });
        }
        record.question = Some(question.clone());
        record.save(bench.session.out)?;
        say(format_args!(
            "{} commits; following {} of side {}",
            record.commits.len(),
            question.metric,
            question.side
        ));
        return Ok(question);
    }
    Err(no_difference(&numbers).into())
}

/// What differs between the builds of a comparison, besides the source.
fn differences(compared: &MeasuredComparison) -> Vec<String> {
    let [base, head] = &compared.record.subjects[..] else { return Vec::new() };
    let found = shakedown_gate::differences(&base.artifact, &head.artifact);
    found.iter().map(words::difference).collect()
}

/// Measures a revision and takes down what came of it.
fn look_at(
    bench: &Bench<'_>,
    record: &mut BisectRecord,
    question: &BisectQuestion,
    id: &str,
    left: usize,
) -> Result<()> {
    let subject = record.commit(id).map(|commit| plain(&commit.subject)).unwrap_or_default();
    say(format_args!("{}, {left} to go: {subject}", short(id)));
    let mut one = BisectedRevision {
        id: id.to_owned(),
        result: RevisionResult::Skipped { why: String::new() },
        folder: None,
        differences: Vec::new(),
    };
    if let Some(like) = record.same_tree(id) {
        one.result = RevisionResult::SameTree { like };
    } else {
        let folder = format!("revisions/{id}");
        let meters = [series::meter(question.metric)];
        one.result = match bench.compare([&record.good.id, id], &meters, &folder)? {
            PairOutcome::Compared(compared) => {
                one.differences = differences(&compared);
                one.folder = bench.folder(&compared);
                question.head(&compared)
            }
            PairOutcome::DoesNotBuild(why) => RevisionResult::Skipped { why },
        };
    }
    say(format_args!("  {}", level(&one.result, question)));
    record.looked_at.push(one);
    record.save(bench.session.out)
}

/// Measures each commit that was found against its parent, by the rule of the gate.
fn confirm(
    bench: &Bench<'_>,
    record: &mut BisectRecord,
    question: &BisectQuestion,
    findings: &BisectFindings,
) -> Result<()> {
    let exact = findings.changes.iter().filter(|change| change.is_exact());
    for change in exact {
        if record.located.iter().any(|one| one.commit.id == change.commit) {
            continue;
        }
        let Some(commit) = record.commit(&change.commit).cloned() else { continue };
        let parent = commit.parents.first().unwrap_or(&record.good.id).clone();
        let folder = format!("changes/{}", commit.id);
        let meters = match series::meter(question.metric) {
            Meter::Time => vec![Meter::Time],
            Meter::Locks => vec![Meter::Locks],
            // What explains the change is in either.
            Meter::Instructions | Meter::Heap => vec![Meter::Instructions, Meter::Heap],
        };
        let PairOutcome::Compared(compared) =
            bench.compare([&parent, &commit.id], &meters, &folder)?
        else {
            continue;
        };
        let found = question.of(&compared);
        let verdict = found.map_or("missing", |one| one.verdict.name()).to_owned();
        let found = found.and_then(|one| one.change);
        let pair =
            [&parent, &commit.id].map(|id| word(&bench.request.at(id).to_string())).join(" ");
        let reproduce = format!(
            "shakedown compare {pair} --suite {} --only {}",
            word(&bench.request.suite),
            word(&bench.request.scenario.to_string())
        );
        say(format_args!(
            "{} against its parent: {} ({verdict})",
            short(&commit.id),
            found.map_or_else(String::new, signed_percent)
        ));
        record.located.push(LocatedCommit {
            commit,
            parent,
            verdict,
            change: found,
            folder: bench.folder(&compared).unwrap_or(folder),
            reproduce,
        });
        record.save(bench.session.out)?;
    }
    Ok(())
}
