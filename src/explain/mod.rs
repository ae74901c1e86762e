//! Why a comparison found what it found: profiles of what changed, in base and in head.

mod choice;
mod profiles;

pub use profiles::{heap_sites, profile_sides, session_sites};

use crate::{
    output::say,
    project::ProjectRoot,
    record::{digest, explanation_beside, judgement_beside, read, write_explanation},
    session::{SubjectBuilder, comparison::MeasuredComparison, write_reports},
};
use anyhow::{Context, Result, bail};
use choice::{Choice, choose};
use shakedown_culprits::{
    AllocationExplanation, CallGraph, ComparisonExplanation, SideExplanation, TrafficExplanation,
    explain, explain_wire, stacks,
};
use shakedown_gate::Judgement;
use shakedown_protocol::{RunRecord, Scenario};
use shakedown_report::{Report, Why};
use shakedown_schedule::{ProfiledScenario, operation_events, transcribe};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// What to explain.
#[derive(Debug, Clone)]
pub struct ExplainOptions {
    /// At most so many scenarios are profiled, those with the largest changes.
    pub most: usize,
    /// Whether scenarios without a change of their verdict are profiled, too.
    pub all: bool,
    /// Only these scenarios; nothing: all that changed.
    pub only: Vec<Scenario>,
}

/// Scenarios that a comparison is explained by at its end: a minute's work, or less.
const BRIEF: usize = 4;

/// Explains a comparison that was just measured, writes the explanation beside the record and the reports
/// again. Nothing, if nothing changed.
///
/// # Errors
/// Those of [`explain_comparison`] and [`write_explanation`].
pub fn explain_measured(
    root: &ProjectRoot,
    measured: MeasuredComparison,
) -> Result<Option<(Why, Vec<PathBuf>)>> {
    let MeasuredComparison { record, judgement, verdicts, files } = measured;
    let changes = judgement.counts.regressed + judgement.counts.improved;
    let folder = files.first().and_then(|path| path.parent());
    let Some(folder) = folder.filter(|_| changes > 0 && !record.plan.in_tree()) else {
        return Ok(None);
    };
    let options = ExplainOptions { most: BRIEF, all: false, only: Vec::new() };
    let found = explain_comparison(root, folder, &record, &judgement, &options)?;
    let written = write_explanation(folder, &found)?;
    let summary = shakedown_summary::summarize(&record);
    let report = Report::new(&record, &summary).with_verdict(verdicts).with_explanation(&found);
    write_reports(&report, folder)?;
    Ok(Some((Why::new(&found), written)))
}

/// The explanation of one scenario of the comparison in a folder: the one that lies there, or a new one,
/// which is left there. `None` for a record without a judgement.
///
/// # Errors
/// Those of [`explain_comparison`] and [`write_explanation`], or a record that can't be read.
pub fn explain_scenario(
    root: &ProjectRoot,
    folder: &Path,
    scenario: Scenario,
) -> Result<Option<Why>> {
    let record = read(folder)?;
    if let Some(found) = explanation_beside(folder) {
        return Ok(Some(Why::new(&found)));
    }
    let Some(judgement) = judgement_beside(folder, &record) else { return Ok(None) };
    let options = ExplainOptions { most: 1, all: true, only: vec![scenario] };
    let found = explain_comparison(root, folder, &record, &judgement, &options)?;
    write_explanation(folder, &found)?;
    Ok(Some(Why::new(&found)))
}

/// Profiles base and head of what changed. `path` is the record's file or folder.
///
/// # Errors
/// A record without base and head, builds that fail. A scenario that can't be profiled is listed.
pub fn explain_comparison(
    root: &ProjectRoot,
    path: &Path,
    record: &RunRecord,
    judgement: &Judgement,
    options: &ExplainOptions,
) -> Result<ComparisonExplanation> {
    let [base, head] = &record.subjects[..] else {
        bail!(
            "run {} has {} subjects: only a comparison of two can be explained",
            record.id,
            record.subjects.len()
        );
    };
    if record.plan.in_tree() {
        bail!("in-tree benchmarks can't be profiled: they do not say which end is at work");
    }
    let builder = SubjectBuilder::open(root)?;
    let binaries = [base, head].map(|entry| -> Result<PathBuf> {
        let built = builder.rebuild(entry)?;
        built.binaries.into_iter().next().context("the build gave no binary")
    });
    let [base_binary, head_binary] = binaries;
    let profiler = Profiler { pki: root.pki(), record, binaries: [base_binary?, head_binary?] };
    let (chosen, not_profiled) = choose(judgement, options);
    let mut found = ComparisonExplanation {
        run: record.id.clone(),
        record_sha256: digest(path)?,
        base: base.name.clone(),
        head: head.name.clone(),
        not_profiled,
        ..ComparisonExplanation::default()
    };
    for (number, choice) in chosen.iter().enumerate() {
        say(format_args!("profiling {} of {}: {}", number + 1, chosen.len(), choice.scenario));
        if let Err(error) = profiler.explain(choice, &mut found) {
            found.failed.push((choice.scenario, format!("{error:#}")));
        }
    }
    Ok(found.grouped())
}

/// Base and head of one record.
struct Profiler<'a> {
    pki: PathBuf,
    record: &'a RunRecord,
    binaries: [PathBuf; 2],
}

impl Profiler<'_> {
    fn explain(&self, choice: &Choice, found: &mut ComparisonExplanation) -> Result<()> {
        let subjects = &self.record.subjects;
        let both = [0, 1].map(|at| ProfiledScenario {
            binary: &self.binaries[at],
            environment: &subjects[at].artifact.run_environment,
            pki: &self.pki,
            plan: &self.record.plan,
            scenario: &choice.scenario,
        });
        if !choice.sides.is_empty() {
            explain_sides(choice, both, found)?;
        }
        if choice.heap {
            let sites = heap_sites(both)?;
            found.allocations.push(AllocationExplanation { scenario: choice.scenario, sites });
        }
        if choice.sessions {
            let sites = session_sites(both)?;
            found.memory.push(AllocationExplanation { scenario: choice.scenario, sites });
        }
        if choice.traffic {
            let traffic = explain_wire(&transcribe(both[0])?, &transcribe(both[1])?);
            found.traffic.push(TrafficExplanation { scenario: choice.scenario, traffic });
        }
        Ok(())
    }
}

/// Explains the instructions and times of the sides that changed.
fn explain_sides(
    choice: &Choice,
    both: [ProfiledScenario<'_>; 2],
    found: &mut ComparisonExplanation,
) -> Result<()> {
    let [base, head] = [profile_sides(both[0])?, profile_sides(both[1])?];
    for (side, metrics) in &choice.sides {
        let graph = |all: &[(_, CallGraph)]| -> Result<CallGraph> {
            let one = all.iter().find(|(of, _)| of == side);
            Ok(one.context("a side is not in the profile")?.1.clone())
        };
        let (base, head) = (graph(&base)?, graph(&head)?);
        for (stack, both) in stacks(&base, &head) {
            let name = format!("{} {side};{stack}", choice.scenario);
            found.stacks.insert(name, both);
        }
        let mut one = SideExplanation {
            scenario: choice.scenario,
            side: *side,
            metrics: metrics.clone(),
            explanation: explain(&base, &head),
            page_faults: None,
            misses: BTreeMap::new(),
        };
        if one.is_outside_of_instructions() {
            // Drivers of primitives and of servers do not tell, and the rest is told without.
            if let (Ok(base), Ok(head)) = (operation_events(both[0]), operation_events(both[1])) {
                one.page_faults = Some([base.page_faults, head.page_faults]);
                let pair = |(name, base): (String, f64)| {
                    head.misses.get(&name).map(|head| (name, [base, *head]))
                };
                one.misses = base.misses.into_iter().filter_map(pair).collect();
            }
        }
        found.sides.push(one);
    }
    Ok(())
}
